import { wilsonInterval, type Tally } from './rates.ts';

/** Where a share has to be; both ends from 0 to 1. */
export interface ShareRange {
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** What was counted; of `open` more trials nobody can say what they were. */
export interface OpenTally extends Tally {
  readonly open: number;
}

/**
 * Says whether the share in the long run is in a range: only when the whole Wilson interval is on one side of each end,
 * whatever the open trials were.
 *
 * @returns undefined: not settled by so many trials.
 * @throws RangeError unless 0 <= count and count + open <= of.
 */
export function settleShare({ count, open, of }: OpenTally, range: ShareRange): boolean | undefined {
  const { atLeast = 0, atMost = 1 } = range;
  const { low, high } = { low: wilsonInterval(count, of).low, high: wilsonInterval(count + open, of).high };
  if (low > atMost || high < atLeast) return false;
  return low >= atLeast && high <= atMost ? true : undefined;
}

/** Whether some count of so many trials settles that the share is in the range. */
function canSettle(of: number, range: ShareRange): boolean {
  return Array.from({ length: of + 1 }, (_, count) => count).some(
    (count) => settleShare({ count, open: 0, of }, range) === true,
  );
}

/**
 * The fewest trials, from `of` up, of which some count settles that the share is in the range.
 *
 * @returns undefined: more than `most` trials are needed.
 */
export function fewestToSettle(range: ShareRange, of: number, most: number): number | undefined {
  for (let trials = of; trials <= most; trials++) if (canSettle(trials, range)) return trials;
  return undefined;
}
