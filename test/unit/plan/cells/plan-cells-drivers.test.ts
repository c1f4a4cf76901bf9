import { expect, it } from 'vitest';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { listNotes } from '../../../../lab/plan/variants/find-rule.ts';
import { configWith } from '../../project-files.ts';

it('where the kubelet kills pods at times that nobody knows, only scenarios about that are in the whole matrix', () => {
  const config = configWith();
  const { cells } = planCells(config, ['set=full']);
  const killing = cells.filter(({ variant }) =>
    listNotes(config.matrix, variant).some(({ id }) => id === 'driver-mismatch-kills-pods'),
  );
  const others = killing.filter(({ loaded }) => !loaded.scenario.tags.includes('drivers'));
  expect(killing.length).toBeGreaterThan(10);
  expect(others.map(({ address }) => address)).toEqual([]);
});

it('a mismatch that the kubelet heals by itself has all scenarios', () => {
  const { cells } = planCells(configWith(), ['set=full', 'drivers=systemd+cgroupfs', 'kubernetes=1.31']);
  expect(cells.length).toBeGreaterThan(50);
});
