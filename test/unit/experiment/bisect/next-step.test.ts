import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weighChangePoints } from '../../../../lab/experiment/bisect/change-point.ts';
import { findMisfits } from '../../../../lab/experiment/bisect/check-model.ts';
import { chooseStep, findSpan, type SearchedVersion } from '../../../../lab/experiment/bisect/next-step.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { askKnowingRates, searchSimulated, type Simulated } from '../../../fixtures/bisect/simulated-lab.ts';
import { SEED } from '../../../fixtures/properties.ts';
import { createRandom } from '../../../random.ts';

const version = (count: number, of: number, more: Partial<SearchedVersion> = {}): SearchedVersion => ({
  count,
  of,
  unusable: 0,
  isObservable: true,
  prepareSeconds: 150,
  runSeconds: 30,
  ...more,
});

const ENDING = { confidence: 0.95, secondsLeft: Infinity };

describe('the next step of a search', () => {
  it.each([
    { what: 'nothing', versions: [version(0, 0), version(0, 0), version(0, 0)], asks: [0, 1] },
    { what: 'the good end', versions: [version(0, 1), version(0, 0), version(0, 0)], asks: [2, 1] },
    {
      what: 'a bad end that is green',
      versions: [version(0, 1), version(0, 0), version(0, 4)],
      asks: [2, 4],
    },
    { what: 'both ends', versions: [version(0, 1), version(0, 0), version(1, 1)], asks: [0, 2] },
    { what: 'a flaky bad end', versions: [version(0, 1), version(0, 0), version(1, 8)], asks: [0, 8] },
  ])('after $what asks an end', ({ versions, asks: [place, runs] }) => {
    expect(chooseStep(versions, ENDING)).toMatchObject({ kind: 'run', place, runs });
  });

  it.each([
    { what: 'a bad end that is never red', versions: [version(0, 1), version(0, 32)] },
    { what: 'a good end that is as red', versions: [version(9, 32), version(7, 32)] },
  ])('stops at $what', ({ versions }) => {
    expect(chooseStep(versions, ENDING)).toMatchObject({ kind: 'stop', why: 'ends-alike' });
  });

  it('asks a world that is up again before it builds another one of the same use', () => {
    const good = version(0, 3, { prepareSeconds: 0 });
    const bad = version(1, 1, { prepareSeconds: 0 });
    const built = version(0, 0, { prepareSeconds: 900 });
    const saved = version(0, 0, { prepareSeconds: 5 });
    expect(chooseStep([good, built, saved, built, bad], ENDING)).toMatchObject({ kind: 'run', place: 2 });
  });

  it('asks the red end again before a version of whose runs half told nothing', () => {
    // docs/bisect.md has this search: one red end, and a version between that was asked for ever.
    const up = { prepareSeconds: 10, runSeconds: 128 };
    const told = (unusable: number): SearchedVersion[] => [
      version(0, 3, up),
      version(0, 4, { ...up, unusable }),
      version(1, 1, up),
    ];
    expect(chooseStep(told(0), ENDING)).toMatchObject({ kind: 'run', place: 1 });
    expect(chooseStep(told(4), ENDING)).toMatchObject({ kind: 'run', place: 2 });
  });

  it('leaves a version of which no run has told anything for its neighbour', () => {
    const between = [version(0, 0), version(0, 0, { unusable: 2 }), version(0, 0)];
    const versions = [version(0, 3), ...between, version(3, 3)];
    expect(chooseStep(versions, ENDING)).toMatchObject({ kind: 'run', place: 1 });
  });

  it.each([
    {
      what: 'the good end',
      versions: [version(0, 0, { isObservable: false }), version(0, 0), version(0, 0)],
    },
    { what: 'the bad end', versions: [version(0, 1), version(0, 0), version(0, 0, { isObservable: false })] },
  ])('stops when $what is never observed: nothing says what its colour is', ({ versions }) => {
    expect(chooseStep(versions, ENDING)).toMatchObject({ kind: 'stop', why: 'nothing-left' });
  });

  it('stops when the budget pays for no run', () => {
    const versions = [version(0, 3), version(0, 0), version(1, 1)];
    expect(chooseStep(versions, { confidence: 0.95, secondsLeft: 100 })).toMatchObject({
      kind: 'stop',
      why: 'budget',
      answer: { first: 1, last: 2 },
    });
  });

  it('answers with the versions between two that can be run, and is sure of them', () => {
    const hole = version(0, 0, { isObservable: false });
    const versions = [version(0, 12), version(0, 12), hole, hole, version(12, 12), version(12, 12)];
    const step = chooseStep(versions, ENDING);
    expect(step).toMatchObject({ kind: 'stop', why: 'sure', answer: { first: 2, last: 4 } });
  });

  it('never asks a version that cannot be run, and never answers outside of the list', () => {
    const any = fc.array(
      fc
        .tuple(fc.nat(8), fc.nat(8), fc.boolean())
        .map(([red, green, isObservable]) =>
          version(isObservable ? red : 0, isObservable ? red + green : 0, { isObservable }),
        ),
      { minLength: 2, maxLength: 24 },
    );
    fc.assert(
      fc.property(any, (versions) => {
        const step = chooseStep(versions, ENDING);
        if (step.kind === 'run') expect(versions[step.place]?.isObservable).toBe(true);
        const { first, last, probability } = findSpan(versions, weighChangePoints(versions), 0.95);
        expect(first).toBeGreaterThanOrEqual(1);
        expect(last).toBeLessThan(versions.length);
        expect(probability).toBeGreaterThanOrEqual(0.95);
      }),
    );
  });
});

describe('a simulated lab', () => {
  const rates = [1, 0.5, 0.2].flatMap((bad) => [0, 0.02].map((good) => ({ bad, good })));
  /** Searches of each number of versions: fewer of those that take long to plan. */
  const SIZES = { 8: 60, 24: 20, 64: 4 };

  /** How many of these searches are right. */
  function countRight(
    sizes: Readonly<Record<number, number>>,
    lab: Omit<Simulated, 'versions' | 'holes'>,
  ): { readonly right: number; readonly of: number } {
    const random = createRandom(SEED);
    const ends = Object.entries(sizes).flatMap(([versions, count]) =>
      Array.from({ length: count }, () =>
        searchSimulated({ ...lab, versions: Number(versions), holes: 0.15 }, random),
      ),
    );
    return { right: ends.filter(({ isRight }) => isRight).length, of: ends.length };
  }

  /** The fewest right ones of which fewer come by chance in one set of 2,000 where 95 of 100 are right: 72 of 84. */
  function fewestRight(of: number): number {
    let [below, ways] = [0, 1];
    for (let right = 0; ; right++) {
      below += ways * 0.95 ** right * 0.05 ** (of - right);
      if (below > 0.0005) return right;
      ways = (ways * (of - right)) / (right + 1);
    }
  }

  const costs = [
    { what: 'dear worlds', costs: { prepareSeconds: 150, runSeconds: 30 } },
    { what: 'dear runs', costs: { prepareSeconds: 10, runSeconds: 128 } },
  ];
  it.each(costs.flatMap((dear) => rates.map((rate) => ({ ...dear, rate }))))(
    'finds the change at a confidence of 0.95 with $what, where $rate.bad of bad and $rate.good of good runs are red',
    ({ costs, rate }) => {
      const { right, of } = countRight(SIZES, { ...rate, costs });
      expect(right).toBeGreaterThanOrEqual(fewestRight(of));
    },
  );

  it('is right in 95 of 100 searches of all these', () => {
    const ends = rates.map((rate) => countRight({ 8: 40, 24: 10 }, rate));
    expect(sum(ends.map(({ right }) => right))).toBeGreaterThanOrEqual(0.95 * sum(ends.map(({ of }) => of)));
  });

  it.each(rates)(
    'finds it as often where runs get no verdict, and gives up a version that never gets one: $bad and $good red',
    (rate) => {
      const { right, of } = countRight({ 8: 40, 24: 10 }, { ...rate, voids: 0.3, blind: 0.15 });
      expect(right).toBeGreaterThanOrEqual(fewestRight(of));
    },
  );
});

describe('binary search that knows both rates', () => {
  it.each([
    { bad: 1, good: 0, asks: { runs: 1, reds: 1 } },
    { bad: 1, good: 0.02, asks: { runs: 2, reds: 2 } },
    { bad: 0.5, good: 0, asks: { runs: 7, reds: 1 } },
    // 0.8 to the power of 21 is below 0.01, and to that of 20 it is not.
    { bad: 0.2, good: 0, asks: { runs: 21, reds: 1 } },
  ])('asks $asks of red in $bad and $good', ({ asks, ...rate }) => {
    expect(askKnowingRates(rate)).toEqual(asks);
  });
});

describe('one change', () => {
  it('explains a search that has one', () => {
    expect(findMisfits([version(0, 4), version(0, 4), version(3, 4), version(4, 4)])).toEqual([]);
  });

  it('does not explain a good version behind a bad one', () => {
    const versions = [version(0, 8), version(8, 8), version(0, 8), version(8, 8), version(8, 8)];
    expect(findMisfits(versions).map(({ place }) => place)).toEqual([2]);
  });
});
