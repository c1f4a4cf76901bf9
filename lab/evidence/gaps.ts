import type { EvidenceSource, Lost } from '../model/evidence/observation.ts';
import { plural } from '../model/text/plural.ts';
import { lostOf } from './lines.ts';

/** A record of a stream that numbers its records without skipping any. */
export interface Numbered {
  readonly seq: number;
  readonly at: number | undefined;
  readonly line: number;
}

/** Collects numbers in any order and finds those that are missing between the first and the last. */
export interface GapFinder {
  add(record: Numbered): void;
  /**
   * Finds records that were overwritten, dropped or removed. Each edge of a gap becomes an observation with its own
   * time; the first one spans the gap.
   */
  findGaps(source: EvidenceSource, file: string): Lost[];
  /** The records with the lowest and the highest number. */
  first(): Numbered | undefined;
  last(): Numbered | undefined;
}

interface Stretch {
  first: Numbered;
  last: Numbered;
}

/** Builds a finder. It keeps only the unbroken stretches, so a stream in order costs no memory, however long it is. */
export function createGapFinder(): GapFinder {
  const byFirst = new Map<number, Stretch>();
  const byLast = new Map<number, Stretch>();
  /** The only stretch, as nearly every stream is one from its beginning to its end; `byLast` learns late how far it goes. */
  let only: Stretch | undefined;
  const inOrder = (): Stretch[] => [...byFirst.values()].sort((a, b) => a.first.seq - b.first.seq);
  return {
    add: (record) => {
      if (only?.last.seq === record.seq - 1) {
        only.last = record;
        return;
      }
      if (only !== undefined) {
        byLast.clear();
        byLast.set(only.last.seq, only);
      }
      const before = byLast.get(record.seq - 1);
      const after = byFirst.get(record.seq + 1);
      if (byFirst.has(record.seq) || byLast.has(record.seq)) return; // written twice
      const first = before?.first ?? record;
      const last = after?.last ?? record;
      if (before !== undefined) byLast.delete(record.seq - 1);
      if (after !== undefined) byFirst.delete(record.seq + 1);
      const stretch = { first, last };
      byFirst.set(first.seq, stretch);
      byLast.set(last.seq, stretch);
      only = byFirst.size === 1 ? stretch : undefined;
    },
    findGaps: (source, file) => {
      const lost: Lost[] = [];
      let before: Numbered | undefined;
      for (const { first, last } of inOrder()) {
        if (before !== undefined && first.seq - before.seq > 1) {
          const why = `${source} records ${before.seq + 1} to ${first.seq - 1} are missing`;
          lost.push({ ...lostOf(source, why, file, before.at, before.line), until: first.at, isHole: true });
          lost.push({ ...lostOf(source, why, file, first.at, first.line), isHole: true });
        }
        if (before === undefined || last.seq > before.seq) before = last;
      }
      return lost;
    },
    first: () => inOrder()[0]?.first,
    last: () => {
      const all = inOrder();
      return all.reduce<Numbered | undefined>(
        (found, stretch) => (found === undefined || stretch.last.seq > found.seq ? stretch.last : found),
        undefined,
      );
    },
  };
}

/**
 * Follows the order of a stream whose writer numbers its records one after the other and hands out each number once. If
 * the numbers go back or repeat, the file is not as it was read. Its times may go back: while a second CPU starts, the clock
 * of the first jumps, by 1.6 s on an emulated node.
 *
 * @param name what the stream is called, at the beginning of a sentence.
 */
export function createOrder(
  source: EvidenceSource,
  name: string,
  file: string,
): { add: (record: Pick<Numbered, 'seq' | 'line'>) => void; lost: () => Lost[] } {
  let [last, count] = [-1, 0];
  let first: number | undefined;
  return {
    add: ({ seq, line }) => {
      if (seq <= last) {
        first ??= line;
        count += 1;
      }
      last = seq;
    },
    lost: () => {
      if (first === undefined) return [];
      const why = `${name} goes back or repeats itself, ${plural(count, 'time')}: it is not as it was read`;
      return [lostOf(source, why, file, undefined, first)];
    },
  };
}
