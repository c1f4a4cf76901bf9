import type { ShardPlan } from '../../model/saved/shard-plan.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { sum } from '../../model/text/sum.ts';
import { textTable } from '../text/text-table.ts';
import { describeSample } from './render-list.ts';

/** Shards that are shown one by one. */
const MAX_ROWS = 32;

/**
 * Renders a plan of shards: how many, of what, and how long they take.
 *
 * @param command the command that writes the plan to a file; undefined if a file was named.
 */
export function renderShardPlan(
  plan: ShardPlan,
  {
    file,
    evidence,
    command,
  }: { readonly file?: string; readonly evidence?: string; readonly command: string },
): string {
  const { totals, shards, pairwise, sample, seed, skipped } = plan;
  const rows = shards
    .slice(0, MAX_ROWS)
    .map(({ shard, worlds, images, memoryMiB, estimateSeconds }) => [
      String(shard),
      plural(sum(worlds.map(({ cells }) => cells.length)), 'cell'),
      plural(worlds.length, 'world'),
      plural(images.length, 'image'),
      `${memoryMiB} MiB`,
      formatDuration(estimateSeconds * 1000),
    ]);
  const name = file === undefined ? 'plan.json' : shellWord(file);
  const more = evidence === undefined ? '' : ` --evidence ${shellWord(evidence)}`;
  return [
    `${plural(totals.cells, 'cell')} in ${plural(totals.worlds, 'world')} of ${plural(totals.images, 'image')}${skipped.length === 0 ? '' : `, ${skipped.length} skipped by rules`}`,
    ...(pairwise === undefined
      ? []
      : [`pairwise: of ${pairwise.of} cells, with all ${pairwise.pairs} pairs of values`]),
    ...(sample === undefined ? [] : [`sample: ${describeSample(sample)}`]),
    ...(seed === undefined ? [] : [`seed: ${seed}`]),
    `${plural(totals.shards, 'shard')}: the longest takes ${formatDuration(totals.longestSeconds * 1000)}, all together ${formatHours(totals.estimateSeconds)}`,
    ...(plan.estimates === 'defaults' && plan.work === 'run'
      ? ['estimates are for emulated nodes; --timings <file> gives better ones']
      : []),
    '',
    ...textTable([['shard', 'cells', 'worlds', 'images', 'memory', 'takes'], ...rows]),
    ...(shards.length > MAX_ROWS ? [`and ${shards.length - MAX_ROWS} more`] : []),
    '',
    file === undefined
      ? `next: npx whodunit ${command}`
      : `next: npx whodunit run --plan ${name} --shard 1${more}, or npx whodunit shard manifest --engine slurm --plan ${name}`,
  ].join('\n');
}

function formatHours(seconds: number): string {
  return `${(seconds / 3600).toFixed(1)} hours`;
}
