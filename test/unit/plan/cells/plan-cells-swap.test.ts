import { expect, it } from 'vitest';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

it('a kubelet that may run with swap is not expected to refuse it', () => {
  const config = configWith();
  const { cells } = planCells(config, ['set=full']);
  const refusals = cells.filter(({ loaded }) => loaded.scenario.name === 'swap-refused');
  const refused = refusals.filter(({ variant, loaded, outcome }) => {
    const mayRun =
      config.matrix.knobs[variant.knobs]?.kubelet?.failSwapOn === false || loaded.parameters.swap === 'off';
    const restarts = outcome.measures?.find(({ measure }) => measure === 'kubelet-restarts');
    return (restarts?.atLeast !== undefined) === mayRun;
  });
  expect(refusals.length).toBeGreaterThan(20);
  expect(refused.map(({ address }) => address)).toEqual([]);
});
