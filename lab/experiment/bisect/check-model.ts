import type { Tally } from '../../model/rates/rates.ts';
import { predictReds, weighChangePoints } from './change-point.ts';

/** How unlikely the runs of a version may be before the search says that one change does not explain them. */
const UNLIKELY = 0.01;

/** A version whose runs one change does not explain. */
interface Misfit {
  /** Its place in the list. */
  readonly place: number;
  /** Probability of runs that are as unlikely as these or more, given all others. */
  readonly probability: number;
}

/**
 * Looks for versions whose runs do not fit one change at the most likely place: more than one change happened, or the
 * outcome depends on something else. Each version is predicted from all others of its side; the limit of 1 % is divided
 * among the versions that were run.
 */
export function findMisfits(tallies: readonly Tally[]): Misfit[] {
  const best = weighChangePoints(tallies).reduce((one, other) =>
    other.probability > one.probability ? other : one,
  );
  const limit = UNLIKELY / Math.max(1, tallies.filter(({ of }) => of > 0).length);
  return tallies.flatMap(({ count, of }, place) => {
    if (of === 0) return [];
    const side = place < best.place ? best.good : best.bad;
    const chances = predictReds({ red: side.red - count, green: side.green - (of - count) }, of);
    const own = chances[count] ?? 0;
    const probability = chances
      .filter((chance) => chance <= own * (1 + 1e-9))
      .reduce((sum, chance) => sum + chance, 0);
    return probability < limit ? [{ place, probability }] : [];
  });
}
