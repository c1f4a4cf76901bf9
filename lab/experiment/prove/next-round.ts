/** What is known of one of the cells of an experiment. */
interface RanArm {
  /** Runs with a verdict. */
  readonly of: number;
  /** Runs without one. */
  readonly undecided: number;
}

/** What decides whether an experiment goes on. */
export interface RoundsSoFar {
  /** Whether more runs may settle it. */
  readonly isOpen: boolean;
  /** What its cells have shown. */
  readonly arms: readonly RanArm[];
  /** So often each cell is run in a round. */
  readonly repeat: number;
  /** What is left of the budget, in seconds; Infinity without one. */
  readonly leftSeconds: number;
  /** What a round of so many runs of each cell takes, in seconds. */
  readonly secondsOf: (runs: number) => number;
}

/** A cell is run so often at most, budget or not: what one of twenty runs shows is settled by no sensible number. */
export const MOST_RUNS = 20;

/** A cell of which so many runs have no verdict, and none has one, is not run again. */
const MOST_UNSEEN = 6;

/**
 * How often each cell is run once more: until the difference of the rates is settled, the budget is spent, or a cell is
 * never observed.
 *
 * @returns 0 when the experiment is over.
 */
export function planNextRound({ isOpen, arms, repeat, leftSeconds, secondsOf }: RoundsSoFar): number {
  if (!isOpen || arms.some(({ of, undecided }) => of === 0 && undecided >= MOST_UNSEEN)) return 0;
  const most = Math.max(0, ...arms.map(({ of, undecided }) => of + undecided));
  return fitRuns(Math.min(repeat, MOST_RUNS - most), { least: 1, seconds: leftSeconds, secondsOf });
}

/** As many runs of each cell as the time has a place for, at most `most`; 0 when not even the least has one. */
export function fitRuns(
  most: number,
  {
    least,
    seconds,
    secondsOf,
  }: {
    readonly least: number;
    readonly seconds: number;
    readonly secondsOf: (runs: number) => number;
  },
): number {
  for (let runs = most; runs >= least; runs--) if (secondsOf(runs) <= seconds) return runs;
  return 0;
}
