import { largest } from '../../model/text/extremes.ts';
import { sum } from '../../model/text/sum.ts';
import type { Plan } from './plan-cells.ts';

/** One plan of the cells of several. Worlds that they share are made once; undefined of none. */
export function joinPlans(plans: readonly Plan[]): Plan | undefined {
  const [first] = plans;
  if (first === undefined) return undefined;
  const cells = plans.flatMap((plan) => plan.cells);
  const ofPlans = plans.flatMap((plan) => plan.worlds);
  const worlds = [...new Map(ofPlans.map((world) => [world.name, world])).values()];
  const buildSeconds = largest(plans.map((plan) => plan.buildSeconds));
  const work = [...cells, ...worlds].map(({ estimateSeconds }) => estimateSeconds);
  return {
    ...first,
    cells,
    skipped: [],
    worlds,
    notes: [],
    buildSeconds,
    estimateSeconds: sum(work) + buildSeconds,
    memoryMiB: largest(plans.map(({ memoryMiB }) => memoryMiB)),
  };
}
