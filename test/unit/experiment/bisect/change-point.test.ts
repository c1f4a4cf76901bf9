import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entropy, predictReds, weighChangePoints } from '../../../../lab/experiment/bisect/change-point.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { PROJECT } from '../../project-files.ts';

interface Reference {
  readonly tallies: readonly (readonly [number, number])[];
  readonly posterior: readonly number[];
}

/** Made by test/fixtures/bisect/make-posteriors.py. */
const REFERENCES = JSON.parse(
  readFileSync(join(PROJECT, 'test/fixtures/bisect/posteriors.json'), 'utf8'),
) as readonly Reference[];

const tally = fc.tuple(fc.nat(8), fc.nat(8)).map(([red, green]) => ({ count: red, of: red + green }));

describe('where the outcome changes', () => {
  it.each(REFERENCES.map((reference, index) => ({ index, ...reference })))(
    'is weighed as git_bayesect weighs it: case $index',
    ({ tallies, posterior }) => {
      const points = weighChangePoints(tallies.map(([count, of]) => ({ count, of })));
      expect(points).toHaveLength(posterior.length);
      for (const [index, { probability, place }] of points.entries()) {
        expect(place).toBe(index + 1);
        expect(Math.abs(probability - (posterior[index] ?? NaN))).toBeLessThan(1e-6);
      }
    },
  );

  it('has probabilities that add up to 1, and no more than all of the uncertainty', () => {
    fc.assert(
      fc.property(fc.array(tally, { minLength: 2, maxLength: 64 }), (tallies) => {
        const probabilities = weighChangePoints(tallies).map(({ probability }) => probability);
        expect(sum(probabilities)).toBeCloseTo(1, 9);
        expect(entropy(probabilities)).toBeLessThanOrEqual(Math.log2(tallies.length) + 1e-9);
      }),
    );
  });

  it('predicts runs with probabilities that add up to 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (red, green) => {
        const chances = predictReds({ red, green }, 8);
        expect(sum(chances)).toBeCloseTo(1, 9);
        expect(sum(chances.map((chance, reds) => chance * reds))).toBeCloseTo((8 * red) / (red + green), 6);
      }),
    );
  });
});
