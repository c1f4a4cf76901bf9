import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianSlope, type Dated } from '../../../../lab/judge/measures/theil-sen.ts';
import { cases } from '../../../fixtures/properties.ts';

/** Every slope, sorted: the definition. */
function medianOfAll(points: readonly Dated[]): number | undefined {
  const slopes = points.flatMap((one, index) =>
    points
      .slice(index + 1)
      .filter(({ at }) => at !== one.at)
      .map(({ at, value }) => (value - one.value) / ((at - one.at) / 60_000)),
  );
  const sorted = Float64Array.from(slopes).sort();
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

const AT = fc.integer({ min: 0, max: 300 }).map((second) => 1_760_000_000_000 + second * 1000);
/** Kinds of numbers: bytes, few that are often equal, all equal. */
const VALUES = {
  bytes: fc.double({ min: 0, max: 1e9, noNaN: true }),
  few: fc.integer({ min: 0, max: 2 }),
  equal: fc.constant(5),
};

/** What the order of additions may change: a billionth of the slope and of the largest number. */
function roundingOf(points: readonly { value: number }[], slope: number): number {
  return 1e-9 * Math.max(Math.abs(slope), ...points.map(({ value }) => Math.abs(value)));
}

describe('the median of all slopes', () => {
  for (const [kind, value] of Object.entries(VALUES)) {
    const points = fc.array(fc.record({ at: AT, value }), { maxLength: 60 });

    it(`is to the last bit what sorting all of them gives: ${kind}`, () => {
      const sorted = points.map((some) => some.toSorted((one, other) => one.at - other.at));
      fc.assert(
        fc.property(sorted, (some) => {
          expect(medianSlope(some)).toEqual(medianOfAll(some));
        }),
        { numRuns: cases(200) },
      );
    });

    it(`is the same when few are sorted at once: ${kind}`, () => {
      fc.assert(
        fc.property(points, fc.integer({ min: 1, max: 50 }), (some, atOnce) => {
          const [now, before] = [medianSlope(some, atOnce), medianOfAll(some)];
          if (before === undefined) expect(now).toBeUndefined();
          else expect(Math.abs((now ?? NaN) - before)).toBeLessThanOrEqual(roundingOf(some, before));
        }),
        { numRuns: cases(200) },
      );
    });
  }

  it.each([
    ['a line', (index: number) => index * 4096, 4096 * 60],
    ['a plain', () => 7, 0],
    ['a line with every third number far off', (index: number) => (index % 3 === 0 ? 0 : index), 60],
    ['a saw', (index: number) => index % 100, 0],
  ])('of 20,000 points is found: %s', (_, valueAt, slope) => {
    const points = Array.from({ length: 20_000 }, (_, index) => ({
      at: index * 1000,
      value: valueAt(index),
    }));
    const found = medianSlope(points) ?? NaN;
    if (slope === 0) expect(Math.abs(found)).toBeLessThan(0.01);
    else expect(found).toBeCloseTo(slope, 6);
  });
});
