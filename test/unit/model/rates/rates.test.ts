import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { probabilityHigher, type Tally, wilsonInterval } from '../../../../lab/model/rates/rates.ts';

const tally = (count: number, of: number): Tally => ({ count, of });

const tallies = fc.nat({ max: 30 }).chain((of) => fc.nat({ max: of }).map((count): Tally => ({ count, of })));

/** Integrates numerically over both densities, in steps of 1/2000. */
function integrate(one: Tally, other: Tally): number {
  const steps = 2000;
  const density = ({ count, of }: Tally): number[] => {
    const points = Array.from({ length: steps }, (_, index) => (index + 0.5) / steps);
    const weights = points.map((rate) => rate ** count * (1 - rate) ** (of - count));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  };
  const below = density(other);
  let under = 0;
  return density(one).reduce((sum, weight, index) => {
    const here = below[index] ?? 0;
    const value = weight * (under + here / 2);
    under += here;
    return sum + value;
  }, 0);
}

describe('the probability that one rate is higher than another', () => {
  it.each([
    [tally(0, 0), tally(0, 0), 1 / 2],
    [tally(1, 1), tally(0, 1), 5 / 6],
    [tally(2, 2), tally(0, 2), 19 / 20],
    [tally(3, 3), tally(0, 3), 69 / 70],
    [tally(7, 7), tally(7, 7), 1 / 2],
  ])('%j against %j is %f', (one, other, expected) => {
    expect(probabilityHigher(one, other)).toBeCloseTo(expected, 9);
  });

  it('is what a numerical integration gives', () => {
    fc.assert(
      fc.property(tallies, tallies, (one, other) => {
        expect(probabilityHigher(one, other)).toBeCloseTo(integrate(one, other), 3);
      }),
      { numRuns: 50 },
    );
  });

  it('has the opposite case as its complement', () => {
    fc.assert(
      fc.property(tallies, tallies, (one, other) => {
        expect(probabilityHigher(one, other) + probabilityHigher(other, one)).toBeCloseTo(1, 9);
      }),
    );
  });

  it.each([
    [tally(2, 1), tally(0, 1)],
    [tally(0, 1), tally(-1, 1)],
    [tally(0.5, 1), tally(0, 1)],
  ])('refuses %j against %j', (one, other) => {
    expect(() => probabilityHigher(one, other)).toThrow(RangeError);
  });
});

describe('the Wilson interval', () => {
  it.each([
    // Newcombe 1998, Statistics in Medicine 17, table I, method 3.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is %f to %f', (count, of, low, high) => {
    expect(wilsonInterval(count, of).low).toBeCloseTo(low, 4);
    expect(wilsonInterval(count, of).high).toBeCloseTo(high, 4);
  });

  it('holds the share, stays within 0 and 1, and is the mirror of the other share', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (a, b) => {
        const of = Math.max(a, b);
        const count = Math.min(a, b);
        const { low, high } = wilsonInterval(count, of);
        const mirror = wilsonInterval(of - count, of);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        if (of > 0) expect(low <= count / of && count / of <= high).toBe(true);
        expect(low).toBeCloseTo(1 - mirror.high, 9);
      }),
    );
  });

  it('of nothing is everything, and of nonsense is an error', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
  });
});
