import { describe, expect, it } from 'vitest';
import { toListResult } from '../../../../lab/plan/cells/list-result.ts';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { spreadPlan } from '../../../../lab/plan/cells/spread-plan.ts';
import { renderCost, renderList } from '../../../../lab/report/terminal/render-list.ts';
import { configWith } from '../../project-files.ts';

const plan = planCells(configWith(), [
  'default/oom-single-container',
  'default/within-limits',
  'v1/plain-exit',
]);

describe('a plan with lanes', () => {
  it.each([
    ['one was asked for', 1, 8],
    ['the host admits one', 'auto', 1],
  ] as const)('is the plan that it was where %s', (_, asked, slots) => {
    expect(spreadPlan(plan, asked, { slots, forkSeconds: 30 })).toBe(plan);
    expect(JSON.stringify(toListResult(plan))).not.toContain('lanes');
  });

  it('says how many lanes each world has, and what that takes', () => {
    const spread = spreadPlan(plan, 2, { slots: 1, forkSeconds: 30 });
    expect(spread.worlds.map(({ name, lanes }) => `${name} ${lanes ?? 1}`).sort()).toEqual([
      'default 2',
      'v1 1',
    ]);
    // Two cells of 50 and 40 s end after 30 s for the forks and 50 s.
    expect(spread.lanes).toEqual({ most: 2, estimateSeconds: plan.estimateSeconds - 90 + 80 });
    expect(spread.cells).toBe(plan.cells);
    const list = toListResult(spread);
    expect(renderCost(list)).toMatch(
      /^3 cells, 2 worlds, about \d min, in 2 lanes about \d min, 3 GiB peak in each;/,
    );
    expect(renderList(list, 'run')).toMatch(/\n {2}default .*; 2 lanes\n/);
  });
});
