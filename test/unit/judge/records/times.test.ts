import { describe, expect, test } from 'vitest';
import {
  compareTimes,
  earliest,
  isAfter,
  isAtLeast,
  isAtMost,
  isBefore,
  isNear,
  isWithin,
  latest,
  shift,
  spanMs,
  type Silence,
  type Time,
} from '../../../../lab/judge/records/times.ts';

const SILENCES = {
  counts: { unknown: 'counts' },
  'does not': { unknown: 'does not' },
  'counts, its limit does not': { unknown: 'counts', unknownLimit: 'does not' },
  'does not, its limit counts': { unknown: 'does not', unknownLimit: 'counts' },
} satisfies Readonly<Record<string, Silence>>;

/** Whether a comparison holds when the first time, the other one, or both are unknown. */
const UNKNOWN: readonly (readonly [
  keyof typeof SILENCES,
  { readonly first: boolean; readonly other: boolean; readonly both: boolean },
])[] = [
  ['counts', { first: true, other: true, both: true }],
  ['does not', { first: false, other: false, both: false }],
  ['counts, its limit does not', { first: true, other: false, both: true }],
  ['does not, its limit counts', { first: false, other: true, both: false }],
];

const COMPARISONS = { isAtMost, isAtLeast, isBefore, isAfter };

describe('a comparison of times', () => {
  test.each([
    ['isAtMost', true, true, false],
    ['isAtLeast', false, true, true],
    ['isBefore', true, false, false],
    ['isAfter', false, false, true],
  ] as const)('%s is %s of an earlier, %s of the same, %s of a later time', (name, earlier, same, later) => {
    for (const silence of Object.values(SILENCES)) {
      expect(COMPARISONS[name](4, 5, silence)).toBe(earlier);
      expect(COMPARISONS[name](5, 5, silence)).toBe(same);
      expect(COMPARISONS[name](6, 5, silence)).toBe(later);
    }
  });

  test.each(UNKNOWN)('says for whom silence counts: an unknown time %s', (name, { first, other, both }) => {
    const silence = SILENCES[name];
    for (const holds of Object.values(COMPARISONS)) {
      expect(holds(undefined, 5, silence)).toBe(first);
      expect(holds(5, undefined, silence)).toBe(other);
      expect(holds(undefined, undefined, silence)).toBe(both);
    }
    expect(isNear(undefined, 5, 1, silence)).toBe(first);
    expect(isNear(5, undefined, 1, silence)).toBe(other);
    expect(isNear(undefined, undefined, 1, silence)).toBe(both);
  });

  test.each([
    ['at most', isAtMost, 'counts', (at: Time, to: Time) => (at ?? 0) <= (to ?? Infinity)],
    ['at least', isAtLeast, 'counts', (at: Time, from: Time) => (at ?? Infinity) >= (from ?? 0)],
    ['at most', isAtMost, 'does not', (at: Time, to: Time) => (at ?? Infinity) <= (to ?? -Infinity)],
    ['at least', isAtLeast, 'does not', (at: Time, from: Time) => (at ?? 0) >= (from ?? Infinity)],
    ['after', isAfter, 'does not', (at: Time, from: Time) => (at ?? -Infinity) > (from ?? Infinity)],
    [
      'before',
      isBefore,
      'does not, its limit counts',
      (at: Time, to: Time) => (at ?? Infinity) < (to ?? Infinity),
    ],
    ['at most', isAtMost, 'counts, its limit does not', (at: Time, to: Time) => (at ?? 0) <= (to ?? 0)],
  ] as const)(
    '%s (%o): %s is what a number in place of the unknown time gives',
    (_, holds, name, numbers) => {
      for (const at of [undefined, 4, 5, 6]) {
        for (const limit of [undefined, 5]) expect(holds(at, limit, SILENCES[name])).toBe(numbers(at, limit));
      }
    },
  );

  test('is near within the milliseconds on both sides, and no further', () => {
    expect([3, 4, 5, 6, 7].map((at) => isNear(at, 5, 1, SILENCES.counts))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('is within its bounds, which belong to it; each of them may be unknown', () => {
    expect([3, 4, 6, 7].map((at) => isWithin(at, 4, 6, SILENCES['does not']))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isWithin(7, undefined, 6, SILENCES.counts)).toBe(false);
    expect(isWithin(7, 4, undefined, SILENCES.counts)).toBe(true);
    expect(isWithin(7, 4, undefined, SILENCES['does not'])).toBe(false);
    expect(isWithin(undefined, 4, 6, SILENCES.counts)).toBe(true);
  });
});

describe('unknown times', () => {
  test('stay unknown when they are moved or measured', () => {
    expect([shift(5, -2), shift(undefined, -2)]).toEqual([3, undefined]);
    expect([spanMs(5, 3), spanMs(undefined, 3), spanMs(5, undefined)]).toEqual([-2, undefined, undefined]);
  });

  test('are neither the first nor the last of several, unless all are unknown', () => {
    expect([earliest([undefined, 5, 3, undefined]), earliest([undefined]), earliest([])]).toEqual([
      3,
      undefined,
      undefined,
    ]);
    expect([latest([undefined, 5, 3, undefined]), latest([undefined]), latest([])]).toEqual([
      5,
      undefined,
      undefined,
    ]);
  });

  test('come first or last in order, and keep their own order', () => {
    const records = [
      { name: 'b', at: 5 },
      { name: 'x', at: undefined },
      { name: 'a', at: 3 },
      { name: 'y', at: undefined },
    ];
    const namesWith = (unknown: 'first' | 'last'): string =>
      records
        .toSorted((one, other) => compareTimes(one.at, other.at, { unknown }))
        .map(({ name }) => name)
        .join('');
    expect([namesWith('first'), namesWith('last')]).toEqual(['xyab', 'abxy']);
  });
});
