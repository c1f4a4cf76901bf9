/** Bounds of a share, both from 0 to 1. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How often something was seen: `count` of `of` trials, whole numbers, 0 <= count <= of. */
export interface Tally {
  readonly count: number;
  readonly of: number;
}

/** Two-sided 95 %: the standard normal distribution's 0.975 quantile. */
const Z = 1.959963984540054;

/**
 * Wilson score interval of a share: `count` of `of` trials showed it. It stays within 0 and 1, and it holds for few
 * trials, where the textbook interval does not (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927, p. 209).
 *
 * @throws RangeError unless 0 <= count <= of.
 */
export function wilsonInterval(count: number, of: number): Interval {
  checkTally({ count, of });
  if (of === 0) return { low: 0, high: 1 };
  const share = count / of;
  const square = (Z * Z) / of;
  const centre = (share + square / 2) / (1 + square);
  const spread = (Z / (1 + square)) * Math.sqrt((share * (1 - share)) / of + square / (4 * of));
  // At the ends the bound is exact; the formula misses it by a rounding error.
  return {
    low: count === 0 ? 0 : Math.max(0, centre - spread),
    high: count === of ? 1 : Math.min(1, centre + spread),
  };
}

/**
 * The probability that the rate behind `one` is higher than the rate behind `other`, from 0 to 1. Before the trials,
 * each rate may be anything: both have a uniform prior, so each is a Beta distribution afterwards. The value is exact:
 * a finite sum of beta functions (E. Miller, Formulas for Bayesian A/B Testing, 2015). 2 of 2 against 0 of 2 is 0.95.
 *
 * @throws RangeError unless 0 <= count <= of on both sides.
 */
export function probabilityHigher(one: Tally, other: Tally): number {
  checkTally(one);
  checkTally(other);
  const [seen, unseen] = [other.count + 1, other.of - other.count + 1];
  const [high, low] = [one.count + 1, one.of - one.count + 1];
  let sum = 0;
  for (let index = 0; index < high; index++)
    sum += Math.exp(
      lnBeta(seen + index, unseen + low) -
        Math.log(low + index) -
        lnBeta(1 + index, low) -
        lnBeta(seen, unseen),
    );
  return Math.min(1, Math.max(0, sum));
}

function checkTally({ count, of }: Tally): void {
  if (!Number.isInteger(count) || !Number.isInteger(of) || count < 0 || count > of)
    throw new RangeError(`${count} of ${of} is not a share`);
}

/** Logarithm of the beta function, for whole numbers from 1: B(a, b) = (a - 1)! (b - 1)! / (a + b - 1)!. */
export function lnBeta(a: number, b: number): number {
  return lnFactorial(a - 1) + lnFactorial(b - 1) - lnFactorial(a + b - 1);
}

const lnFactorials = [0];

function lnFactorial(number: number): number {
  for (let next = lnFactorials.length; next <= number; next++)
    lnFactorials.push((lnFactorials[next - 1] ?? 0) + Math.log(next));
  return lnFactorials[number] ?? 0;
}
