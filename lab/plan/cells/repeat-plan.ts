import { sum } from '../../model/text/sum.ts';
import type { Plan, PlannedCell } from './plan-cells.ts';

/** The same cells, each run so many times. Worlds and programs are made once, however often their cells are run. */
export function repeatPlan(plan: Plan, repeat: number): Plan {
  const cells = plan.cells.map((cell) => repeatCell(cell, repeat));
  const more = sum(cells.map(secondsOf)) - sum(plan.cells.map(secondsOf));
  return { ...plan, cells, estimateSeconds: plan.estimateSeconds + more };
}

function repeatCell(cell: PlannedCell, repeat: number): PlannedCell {
  const { loaded, estimateSeconds } = cell;
  const once = estimateSeconds / loaded.scenario.repeat;
  return {
    ...cell,
    loaded: { ...loaded, scenario: { ...loaded.scenario, repeat } },
    estimateSeconds: once * repeat,
  };
}

const secondsOf = ({ estimateSeconds }: PlannedCell): number => estimateSeconds;
