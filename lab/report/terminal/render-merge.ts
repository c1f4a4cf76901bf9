import type { ShardRecord } from '../../model/saved/shard-record.ts';
import { namesSome, plural } from '../../model/text/plural.ts';

/** A shard of which not every cell has come back. */
interface Lacking {
  readonly shard: number;
  readonly missing: readonly string[];
  readonly of: number;
  readonly hasRun: boolean;
}

/** What a merge says besides the summary of its run: on which hosts it ran, what is missing, what disagrees. */
export function renderMerge({
  parts,
  lacking,
  disagreeing,
  again,
}: {
  readonly parts: readonly ShardRecord[];
  readonly lacking: readonly Lacking[];
  readonly disagreeing: readonly string[];
  /** The lines that run the lacking shards again. */
  readonly again: readonly string[];
}): string {
  const hosts = new Set(parts.map(({ host }) => JSON.stringify(host)));
  const ways = [...new Set(parts.map(({ accelerator }) => accelerator))].sort();
  return [
    `merged: ${plural(parts.length, 'run')} of ${plural(new Set(parts.map(({ shard }) => shard)).size, 'shard')}, ${plural(hosts.size, 'kind')} of host, guests under ${ways.join(' and ')}`,
    ...disagreeing.map((address) => `hosts disagree: ${address}`),
    ...lacking.map(({ shard, missing, of, hasRun }) =>
      hasRun
        ? `shard ${shard} returned ${of - missing.length} of ${plural(of, 'cell')}: ${namesSome(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`
        : `shard ${shard} returned nothing: ${plural(of, 'cell')} missing`,
    ),
    ...again.map((line) => `again:  ${line}`),
  ].join('\n');
}
