import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planCells, type PlanOptions } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';
import { cases } from '../../../fixtures/properties.ts';

const config = configWith();

describe('the order of a plan', () => {
  const words = ['os=bookworm,trixie', 'kubernetes=*', 'scenario=plain-exit,within-limits'];
  const namesOf = (options: PlanOptions): string[] =>
    planCells(config, words, options).cells.map(({ address }) => address);
  const worldsOf = (options: PlanOptions): string[] => [
    ...new Set(namesOf(options).map((address) => address.split('/')[0] ?? '')),
  ];

  it('is stable and starts near the default without a seed', () => {
    expect(namesOf({})).toEqual(namesOf({}));
    expect(worldsOf({}).slice(0, 2)).toEqual(['default', '1.22']);
  });

  it('brings each world up once, the saved ones and the default first, whatever the seed', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const options = { seed, savedWorlds: new Set(['trixie_1.36']) };
        const runs = namesOf(options).map((address) => address.split('/')[0] ?? '');
        const starts = runs.filter((world, index) => world !== runs[index - 1]);
        expect(starts).toEqual(worldsOf(options));
        expect(starts.slice(0, 2)).toEqual(['trixie_1.36', 'default']);
        expect([...namesOf(options)].sort()).toEqual([...namesOf({})].sort());
      }),
      { numRuns: cases(20) },
    );
  });

  it('is the same for the same seed and another for another', () => {
    expect(namesOf({ seed: 'a' })).toEqual(namesOf({ seed: 'a' }));
    expect(namesOf({ seed: 'a' })).not.toEqual(namesOf({ seed: 'b' }));
    expect(namesOf({ seed: 'a' })).not.toEqual(namesOf({}));
  });
});
