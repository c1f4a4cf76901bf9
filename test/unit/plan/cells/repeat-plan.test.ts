import { describe, expect, it } from 'vitest';
import { planCells } from '../../../../lab/plan/cells/plan-cells.ts';
import { repeatPlan } from '../../../../lab/plan/cells/repeat-plan.ts';
import { sum } from '../../../../lab/model/text/sum.ts';
import { configWith, shippedText } from '../../project-files.ts';

const path = 'scenarios/plain-exit/scenario.yaml';
const repeated = configWith({ [path]: `${shippedText(path)}\nrepeat: 3\n` });

describe('cells that are run several times', () => {
  it.each([
    ['worlds that are built', configWith(), ['plain-exit', 'cgroup=v1,v2'], {}],
    ['a world that is there', configWith(), ['plain-exit'], { savedWorlds: new Set(['default']) }],
    ['programs that are built', configWith(), ['plain-exit'], { made: new Set<string>() }],
    ['a scenario that is repeated anyway', repeated, ['plain-exit'], {}],
  ])('cost no world more: %s', (_, config, words, options) => {
    const plan = planCells(config, words, options);
    const ofWorlds = plan.estimateSeconds - sum(plan.cells.map(({ estimateSeconds }) => estimateSeconds));
    const once = repeatPlan(plan, 1);
    for (const runs of [1, 2, 5]) {
      const often = repeatPlan(plan, runs);
      expect(often.cells.map(({ loaded }) => loaded.scenario.repeat)).toEqual(plan.cells.map(() => runs));
      const ofCells = runs * sum(once.cells.map(({ estimateSeconds }) => estimateSeconds));
      expect(often.estimateSeconds).toBeCloseTo(ofWorlds + ofCells, 6);
      expect(sum(often.cells.map(({ estimateSeconds }) => estimateSeconds))).toBeCloseTo(ofCells, 6);
    }
  });
});
