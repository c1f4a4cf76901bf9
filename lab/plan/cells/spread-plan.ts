import { variantName } from '../../model/axes/axes.ts';
import { largest } from '../../model/text/extremes.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { sum } from '../../model/text/sum.ts';
import type { AskedLanes } from '../worlds/parse-lanes.ts';
import { estimateInLanes, planLanes } from '../worlds/plan-lanes.ts';
import type { Plan } from './plan-cells.ts';

/**
 * The plan with the lanes of its worlds, and what it takes then; the same plan where no world has more than one. A shard of a
 * plan file is spread like any other: which cells it has does not depend on it.
 *
 * @param host what the host admits at once, and how long forking lanes takes there.
 */
export function spreadPlan(
  plan: Plan,
  asked: AskedLanes,
  host: { readonly slots: number; readonly forkSeconds: number },
): Plan {
  const ofWorld = groupBy(plan.cells, ({ variant }) => variantName(variant));
  const works = plan.worlds.map(({ name }) =>
    (ofWorld.get(name) ?? []).map(({ estimateSeconds }) => estimateSeconds),
  );
  const lanes = planLanes(works, asked, host);
  if (lanes.every((count) => count === 1)) return plan;
  const saved = works.map(
    (cells, index) => sum(cells) - estimateInLanes(cells, lanes[index] ?? 1, host.forkSeconds),
  );
  return {
    ...plan,
    worlds: plan.worlds.map((world, index) => {
      const count = lanes[index] ?? 1;
      return count === 1 ? world : { ...world, lanes: count };
    }),
    lanes: { most: largest(lanes), estimateSeconds: Math.round(plan.estimateSeconds - sum(saved)) },
  };
}
