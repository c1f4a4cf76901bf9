import { expect, it } from 'vitest';
import type { LoadedScenario } from '../../../../lab/model/declared/scenario.ts';
import { valueOf } from '../../../../lab/model/axes/axes.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

/** How many objects of a scenario are pods, or make some. */
function countPods({ manifests, later }: LoadedScenario): number {
  const objects = [...manifests, ...Object.values(later).flat()];
  return objects.filter(({ kind, spec }) => kind === 'Pod' || /"template":/.test(JSON.stringify(spec ?? {})))
    .length;
}

it('where there are several nodes, no scenario is planned whose pods have to share one', () => {
  const { cells } = planCells(configWith(), ['set=full', 'nodes=1+1,1+2']);
  const apart = cells.filter(({ loaded }) => countPods(loaded) > 1);
  expect(cells.length).toBeGreaterThan(100);
  expect(new Set(cells.map(({ variant }) => valueOf(variant, 'nodes')))).not.toContain('1');
  expect(apart.map(({ address }) => address)).toEqual([]);
});
