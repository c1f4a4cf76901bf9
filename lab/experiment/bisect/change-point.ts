import { lnBeta, type Tally } from '../../model/rates/rates.ts';

/**
 * What is believed of a rate before anything was seen: a Beta distribution of `red` and `green` runs that count as seen.
 * Whole numbers from 1.
 */
interface Prior {
  readonly red: number;
  readonly green: number;
}

/** The rate at which a bad version shows the end may be anything: a bug that shows in one of five runs is common. */
const BAD: Prior = { red: 1, green: 1 };

/** A good version rarely shows it; that it may do so once in a while is what plain bisection cannot bear. */
const GOOD: Prior = { red: 1, green: 20 };

/** Red and green runs of one side, the prior's among them. */
interface Side {
  readonly red: number;
  readonly green: number;
}

/** A place where the outcome may change, what is believed of it, and the runs on either side of it if it is right. */
export interface ChangePoint {
  /** Place of the first bad version: versions before it are good, it and those behind it are bad. */
  readonly place: number;
  /** Probability, from 0 to 1; those of all places add up to 1. */
  readonly probability: number;
  readonly good: Side;
  readonly bad: Side;
}

/**
 * Weighs where the outcome changes, given red runs (`count`) of red and green ones (`of`) of each version, from the good
 * end to the bad one. The first version is good and the last one is bad; both rates are unknown. Every place is as likely as
 * any other at first.
 *
 * This is the model of git_bayesect (https://github.com/hauntsaninja/git_bayesect), with priors of its own.
 *
 * @param tallies of at least two versions.
 */
export function weighChangePoints(tallies: readonly Tally[]): ChangePoint[] {
  const all = addUp(tallies);
  const places: { place: number; ln: number; good: Side; bad: Side }[] = [];
  let good = { red: 0, green: 0 };
  for (const [index, { count, of }] of tallies.slice(0, -1).entries()) {
    good = { red: good.red + count, green: good.green + of - count };
    const sides = {
      good: { red: good.red + GOOD.red, green: good.green + GOOD.green },
      bad: { red: all.red - good.red + BAD.red, green: all.green - good.green + BAD.green },
    };
    const ln =
      lnBeta(sides.good.red, sides.good.green) -
      lnBeta(GOOD.red, GOOD.green) +
      lnBeta(sides.bad.red, sides.bad.green) -
      lnBeta(BAD.red, BAD.green);
    places.push({ place: index + 1, ln, ...sides });
  }
  const largest = Math.max(...places.map(({ ln }) => ln));
  const weights = places.map(({ ln }) => Math.exp(ln - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return places.map(({ place, good, bad }, index) => ({
    place,
    probability: (weights[index] ?? 0) / total,
    good,
    bad,
  }));
}

function addUp(tallies: readonly Tally[]): Side {
  return tallies.reduce((sum, { count, of }) => ({ red: sum.red + count, green: sum.green + of - count }), {
    red: 0,
    green: 0,
  });
}

/**
 * The probability of each number of red runs, from none to all, of so many runs of a version on this side: the
 * beta-binomial distribution.
 */
export function predictReds({ red, green }: Side, runs: number): number[] {
  return Array.from({ length: runs + 1 }, (_, reds) =>
    Math.exp(lnChoose(runs, reds) + lnBeta(red + reds, green + runs - reds) - lnBeta(red, green)),
  );
}

function lnChoose(all: number, some: number): number {
  return -Math.log(all + 1) - lnBeta(some + 1, all - some + 1);
}

/** Uncertainty in bits. */
export function entropy(probabilities: readonly number[]): number {
  return -probabilities.reduce((sum, value) => sum + (value > 0 ? value * Math.log2(value) : 0), 0);
}
