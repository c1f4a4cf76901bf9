import { describe, expect, it } from 'vitest';
import { listContradictions } from '../../../../lab/commands/gating/baseline-file.ts';
import type { GatedCell } from '../../../../lab/model/saved/gate.ts';

const death = { killer: 'memcg-oom', claims: [], because: [], evidence: 'run/cell' } as const;
const cellOf = (
  address: string,
  of: number,
  ...counts: number[]
): Pick<GatedCell, 'address' | 'of' | 'deaths'> => ({
  address,
  of,
  deaths: counts.map((count) => ({ ...death, claims: [], because: [], count })),
});

describe('a baseline', () => {
  it('is not doubted when its ends are as many as its trials', () => {
    expect(listContradictions([cellOf('default/a', 3, 2, 1), cellOf('default/b', 0)])).toEqual([]);
  });

  it.each([
    ['no cell', [], ['it has no cell']],
    ['fewer ends', [cellOf('default/a', 3, 1, 1)], ['default/a has 3 trials with a verdict, and 2 ends']],
    ['ends of no trial', [cellOf('default/a', 0, 7)], ['default/a has 0 trials with a verdict, and 7 ends']],
    [
      'a cell twice, and another that does not add up',
      [cellOf('default/a', 1, 1), cellOf('default/a', 1, 1), cellOf('default/b', 1)],
      ['default/a is in it twice', 'default/b has 1 trials with a verdict, and 0 ends'],
    ],
  ])('contradicts itself: %s', (_, cells, says) => {
    expect(listContradictions(cells)).toEqual(says);
  });
});
