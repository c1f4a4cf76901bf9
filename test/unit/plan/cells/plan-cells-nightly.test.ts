import { describe, expect, it } from 'vitest';
import { STIMULUS_KINDS } from '../../../../lab/model/declared/stimulus.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { configWith } from '../../project-files.ts';

const { cells, skipped } = planCells(configWith(), ['set=nightly']);

describe('the set nightly', () => {
  it('has a cell of each stimulus, and none that a rule refuses', () => {
    const staged = new Set(cells.flatMap(({ loaded }) => loaded.scenario.stimulus.map(({ kind }) => kind)));
    expect(STIMULUS_KINDS.filter((kind) => !staged.has(kind))).toEqual([]);
    expect(skipped).toEqual([]);
  });

  it('has a cluster of several nodes and a driver mismatch', () => {
    expect(cells.some(({ variant }) => variant.nodes !== '1')).toBe(true);
    expect(cells.some(({ variant }) => variant.drivers === 'systemd+cgroupfs')).toBe(true);
  });
});
