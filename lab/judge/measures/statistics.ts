import type { Statistic } from '../../model/measures/measure.ts';
import { medianSlope, type Dated } from './theil-sen.ts';

/** The middle of some numbers; of an even count the mean of the two middle ones; undefined of none. */
export function medianOf(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/** What a statistic makes of points, which are sorted by time; undefined where they are too few for any number. */
export function statisticOf(statistic: Statistic, points: readonly Dated[]): number | undefined {
  const values = points.map(({ value }) => value);
  switch (statistic) {
    case 'last':
      return values.at(-1);
    case 'max':
      return values.length === 0 ? undefined : values.reduce((most, value) => Math.max(most, value));
    case 'median':
      return medianOf(values);
    case 'slope':
      return medianSlope(points);
  }
}

/** Chance that the true median is outside of the interval on one side, at most. */
const TAIL = 0.025;

/**
 * The two numbers between which the median of all that could have been measured is, with a probability of 95 % or more:
 * so many of them are below it as heads fall (W. R. Thompson, Ann. Math. Stat. 7, 1936, p. 122). Undefined of fewer
 * than six.
 */
export function medianInterval(values: readonly number[]): { low: number; high: number } | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  let rank = 0;
  // P(k of n heads), from k = 0 upwards, while their sum stays within the tail. In logarithms: 2^-n of many is 0.
  let logChance = -n * Math.LN2;
  let sum = Math.exp(logChance);
  while (sum <= TAIL && rank < n / 2) {
    rank += 1;
    logChance += Math.log((n - rank + 1) / rank);
    sum += Math.exp(logChance);
  }
  const low = sorted[rank - 1];
  const high = sorted[n - rank];
  return low === undefined || high === undefined ? undefined : { low, high };
}
