import { expect, it } from 'vitest';
import { chooseCells, type GateCandidate } from '../../../../lab/gate/choose/choose-cells.ts';
import { REACH_TABLE } from '../../../../lab/gate/reach/reach-table.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';

const areas = REACH_TABLE.runc.areas.map((area) => ({ area, because: [] }));
const cell = (scenario: string, change: Partial<GateCandidate> = {}): GateCandidate => ({
  address: `default/${scenario}`,
  variant: DEFAULT_VARIANT,
  scenario,
  tags: ['oom'],
  seconds: 60,
  worlds: [{ name: 'default', seconds: 120 }],
  caught: [],
  ...change,
});
const names = (...given: Parameters<typeof chooseCells>): string[] =>
  chooseCells(...given).chosen.map((chosen) => chosen.cell.scenario);

it('takes first what tells most for its time', () => {
  const cells = [cell('slow', { seconds: 600 }), cell('quick'), cell('caught-one', { caught: ['a-bug'] })];
  expect(names(cells, areas)).toEqual(['caught-one', 'quick', 'slow']);
});

it('stays within its budget, worlds and their parents included, and says how many cells it left out', () => {
  const derived = [
    { name: 'v1', seconds: 30 },
    { name: 'default', seconds: 120 },
  ];
  const cells = [
    cell('one'),
    cell('two', { worlds: derived, variant: { ...DEFAULT_VARIANT, cgroup: 'v1' } }),
    cell('three'),
  ];
  const { chosen, leftOut } = chooseCells(cells, areas, 300);
  expect(chosen.map(({ seconds }) => seconds)).toEqual([180, 90]);
  expect(leftOut).toBe(1);
  expect(names(cells, areas, 100)).toEqual([]);
});

it('leaves out what shows no area of the change', () => {
  expect(names([cell('one', { tags: ['eviction'] })], areas)).toEqual([]);
});
