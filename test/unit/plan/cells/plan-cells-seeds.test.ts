import { describe, expect, it } from 'vitest';
import { addressesOfBug } from '../../../../lab/plan/bugs/bug-cells.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith, problemsAfter } from '../../project-files.ts';

describe('the set seeds', () => {
  it('has the affected, the fixed and the control cells of every bug, and none that a rule refuses', () => {
    const config = configWith();
    const { cells, skipped } = planCells(config, ['set=seeds']);
    const planned = cells.map(({ address }) => address);
    for (const bug of config.bugs)
      expect(planned, bug.id).toEqual(expect.arrayContaining(addressesOfBug(bug, config.scenarios)));
    expect(skipped).toEqual([]);
    expect(new Set(planned).size).toBe(planned.length);
  });

  it('is refused with a bug that nobody reported, and a set of nothing', () => {
    const to = (bugs: string): string => `bugs: ${bugs}\n    blocks:`;
    const from = to("['*']");
    expect(problemsAfter('matrix.yaml', from, to('[supercronic-zombis]'))).toEqual([
      expect.objectContaining({ path: 'sets.seeds.bugs', nearest: 'supercronic-zombies' }),
    ]);
    expect(problemsAfter('matrix.yaml', from, `${to('[]')} []\n  other:\n    about: x\n    blocks:`)).toEqual(
      [expect.objectContaining({ file: 'matrix.yaml', path: 'sets.seeds', expected: 'bugs or blocks' })],
    );
  });
});
