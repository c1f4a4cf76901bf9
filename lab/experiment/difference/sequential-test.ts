import type { Tally } from '../../model/rates/rates.ts';

/** Chance of a wrong decision, in either direction. */
const ERROR = 0.05;

/** What a cell between two ends is like; unresolved: nothing was observed, or too little to decide. */
export type Resemblance = 'red' | 'green' | 'unresolved';

/** Red runs of the runs of each end. */
interface EndTallies {
  readonly red: Tally;
  readonly green: Tally;
}

/**
 * Decides from its runs whether a cell is like the red end or like the green one: Wald's sequential test of two rates
 * (A. Wald, Ann. Math. Stat. 16, 1945, p. 117), which stops as soon as the runs are enough.
 *
 * @returns undefined when another run is needed.
 */
export function decideResemblance(
  { count, of }: Tally,
  ends: EndTallies,
  mostRuns: number,
): Resemblance | undefined {
  const [high, low] = [expectRate(ends.red), expectRate(ends.green)];
  const evidence = count * Math.log(high / low) + (of - count) * Math.log((1 - high) / (1 - low));
  // Rounding must not ask for one more run.
  const bound = Math.log((1 - ERROR) / ERROR) - 1e-9;
  if (high > low && evidence >= bound) return 'red';
  if (high > low && evidence <= -bound) return 'green';
  return of >= mostRuns ? 'unresolved' : undefined;
}

/** The mean of what is believed of a rate after these runs; a rate is never believed to be 0 or 1. */
function expectRate({ count, of }: Tally): number {
  return (count + 1) / (of + 2);
}
