import type { EvidenceSource, Lost } from '../model/observation.ts';
import { lostOf } from './lines.ts';

/** A record of a stream that numbers its records without skipping any. */
export interface Numbered {
  readonly seq: number;
  readonly at: number | undefined;
  readonly line: number;
}

/**
 * Finds numbers that are missing in a stream: records that were overwritten, dropped or removed. Both edges of a gap
 * become an observation, so that a judge who looks at a stretch of time sees the gap from either side.
 *
 * @param records in the order of `seq`.
 */
export function findGaps(records: readonly Numbered[], source: EvidenceSource, file: string): Lost[] {
  const lost: Lost[] = [];
  for (const [index, record] of records.entries()) {
    const before = records[index - 1];
    if (before === undefined || record.seq - before.seq <= 1) continue;
    const why = `${source} records ${before.seq + 1} to ${record.seq - 1} are missing`;
    lost.push(
      lostOf(source, why, file, before.at, before.line),
      lostOf(source, why, file, record.at, record.line),
    );
  }
  return lost;
}
