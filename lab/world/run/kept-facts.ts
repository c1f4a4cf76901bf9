import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readExcerpts } from '../../evidence/excerpts.ts';
import { readAsked } from '../../evidence/asked.ts';
import type { EvidenceText } from '../../evidence/lines.ts';
import { tellStory } from '../../judge/verdict/tell-story.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import type { CellRecord, Observation } from '../../model/evidence/observation.ts';
import type { CellFacts } from '../../report/page/run-report.ts';
import { listProof } from '../../report/words/proof-lines.ts';

/** Some thousand cells, packed, fit into it. */
export const MAX_BYTES = 64 * 1024 * 1024;

/**
 * What the report of a run shows of its cells besides their results, kept from when their evidence was read to judge them.
 * The key is the judgement itself, so that nothing is kept with another one.
 */
export interface KeptFacts {
  /** Keeps packed facts, unless the room is used up or there are none: then the report reads the evidence again. */
  keep(judgement: Attribution, packed: Uint8Array | undefined): void;
  find(judgement: Attribution): CellFacts | undefined;
}

/** Facts in few bytes. */
export function packFacts(facts: CellFacts): Buffer {
  return deflateRawSync(serialize(facts));
}

/** The facts that were packed. */
export function unpackFacts(packed: Uint8Array): CellFacts {
  return deserialize(inflateRawSync(packed)) as CellFacts;
}

/** @param maxBytes how much may be kept, packed. */
export function createKeptFacts(maxBytes = MAX_BYTES): KeptFacts {
  const kept = new Map<Attribution, Uint8Array>();
  let bytes = 0;
  return {
    keep: (judgement, packed) => {
      if (bytes >= maxBytes || packed === undefined) return;
      bytes += packed.length;
      kept.set(judgement, packed);
    },
    find: (judgement) => {
      const packed = kept.get(judgement);
      return packed === undefined ? undefined : unpackFacts(packed);
    },
  };
}

/**
 * What the evidence of a cell says besides its result: its story, and the lines around its proof.
 *
 * @param read the evidence as it was read; undefined where there is no record of the cell: it has no story then.
 */
export function tellFacts(
  files: ReadonlyMap<string, EvidenceText>,
  attribution: Attribution,
  read: { readonly record: CellRecord; readonly observations: readonly Observation[] } | undefined,
): CellFacts {
  const refs = [
    ...listProof(attribution),
    ...(attribution.findings ?? []).flatMap(({ because }) => because.slice(0, 1)),
  ];
  return {
    story: read === undefined ? undefined : tellStory(read.record, read.observations),
    excerpts: readExcerpts(files, refs),
    asked: read === undefined ? undefined : readAsked(read.record, files, podOf(attribution)),
  };
}

/** The pod of a victim such as `eater-x/eater pid 812 (memory-eater)`. */
function podOf({ victim }: Attribution): string {
  return victim.split('/', 1)[0] ?? '';
}
