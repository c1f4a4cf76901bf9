import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundTests,
  searchDifference,
  type FoundDifference,
} from '../../../../lab/experiment/difference/smallest-difference.ts';
import {
  decideResemblance,
  type Resemblance,
} from '../../../../lab/experiment/difference/sequential-test.ts';
import { cases } from '../../../fixtures/properties.ts';

type Answer = (mask: number) => Resemblance;

/** Names of axes, one for each bit. */
const nameBits = (count: number): string[] => Array.from({ length: count }, (_, bit) => `axis-${bit}`);

function maskOf(names: readonly string[], changed: readonly string[]): number {
  return changed.reduce((mask, name) => mask | (1 << names.indexOf(name)), 0);
}

function search(names: readonly string[], answer: Answer): FoundDifference & { asked: number[] } {
  const asked: number[] = [];
  const steps = searchDifference(names);
  let step = steps.next();
  while (step.done !== true) {
    const mask = maskOf(names, step.value);
    asked.push(mask);
    step = steps.next(answer(mask));
  }
  return { ...step.value, asked };
}

/** Every set that is red while none of its own subsets is, by asking for all of them. */
function listMinimal(count: number, answer: Answer): number[] {
  const reds = Array.from({ length: 1 << count }, (_, mask) => mask).filter((mask) => answer(mask) === 'red');
  return reds.filter((mask) => !reds.some((other) => other !== mask && (other & mask) === other));
}

/** Names without which nothing is red. */
function listNecessary(count: number, answer: Answer): number {
  const all = (1 << count) - 1;
  return Array.from({ length: count }, (_, bit) => 1 << bit)
    .filter((bit) => answer(all & ~bit) === 'green')
    .reduce((sum, bit) => sum | bit, 0);
}

function expectOracle(count: number, answer: Answer): void {
  const names = nameBits(count);
  const found = search(names, answer);
  const minimal = listMinimal(count, answer);
  const mask = maskOf(names, found.names);
  expect(minimal).toContain(mask);
  expect(maskOf(names, found.necessary)).toBe(mask & listNecessary(count, answer));
  // The same in every minimal set: what is necessary does not depend on which of them was found.
  expect(mask & listNecessary(count, answer)).toBe(minimal.reduce((every, one) => every & one));
  expect(new Set(found.asked).size).toBe(found.asked.length);
  expect(found.asked.length).toBeLessThanOrEqual(boundTests(count));
}

describe('the smallest difference', () => {
  it('is what the exhaustive oracle finds, for every monotone function of four axes', () => {
    let functions = 0;
    for (let table = 0; table < 1 << 16; table++) {
      const isRed = (mask: number): boolean => ((table >> mask) & 1) === 1;
      const isMonotone = Array.from({ length: 16 }, (_, mask) => mask).every(
        (mask) => !isRed(mask) || [1, 2, 4, 8].every((bit) => isRed(mask | bit)),
      );
      if (!isMonotone || isRed(0) || !isRed(15)) continue;
      functions += 1;
      expectOracle(4, (mask) => (isRed(mask) ? 'red' : 'green'));
    }
    // Dedekind's number of four, without the two constant functions.
    expect(functions).toBe(166);
  });

  it('is what the exhaustive oracle finds, for random monotone functions of nine axes', () => {
    const causes = fc.array(fc.integer({ min: 1, max: 511 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(causes, (sets) => {
        expectOracle(9, (mask) => (sets.some((set) => (mask & set) === set) ? 'red' : 'green'));
      }),
      { numRuns: cases(1000) },
    );
  });

  it('is red, and needs each of its names, whatever cannot be observed and whatever undoes another', () => {
    const table = fc.array(fc.constantFrom<Resemblance>('red', 'green', 'unresolved'), {
      minLength: 64,
      maxLength: 64,
    });
    fc.assert(
      fc.property(table, (rows) => {
        const answer: Answer = (mask) =>
          mask === 0 ? 'green' : mask === 63 ? 'red' : (rows[mask] ?? 'green');
        const names = nameBits(6);
        const { names: found, unsure } = search(names, answer);
        const mask = maskOf(names, found);
        expect(answer(mask)).toBe('red');
        for (const name of found) {
          const left = answer(mask & ~maskOf(names, [name]));
          expect(left).toBe(unsure.includes(name) ? 'unresolved' : 'green');
        }
      }),
    );
  });
});

describe('a sequential test', () => {
  const ends = { red: { count: 4, of: 4 }, green: { count: 0, of: 4 } };

  it.each([
    { runs: [0, 0], is: undefined },
    { runs: [1, 1], is: undefined },
    { runs: [2, 2], is: 'red' },
    { runs: [0, 2], is: 'green' },
    { runs: [1, 2], is: undefined },
    { runs: [4, 8], is: 'unresolved' },
    { runs: [5, 8], is: 'red' },
  ])('says $is of $runs red runs, if the ends differ always', ({ runs: [count = 0, of = 0], is }) => {
    expect(decideResemblance({ count, of }, ends, 8)).toBe(is);
  });

  it('decides nothing if the ends are alike', () => {
    const alike = { red: { count: 2, of: 4 }, green: { count: 2, of: 4 } };
    expect(decideResemblance({ count: 8, of: 8 }, alike, 8)).toBe('unresolved');
  });
});
