import { findJsonInside } from '../../drivers/files/inside.ts';
import type { runPaths } from '../../model/host/paths.ts';
import { savedPlanSchema, type SavedPlan } from '../../model/saved/replay.ts';

/**
 * Returns the plan that a run began with; undefined when there is none, or none of this version.
 *
 * @throws HostError when the file cannot be read, or is not JSON.
 */
export function findPlan({
  dir,
  plan,
}: Pick<ReturnType<typeof runPaths>, 'dir' | 'plan'>): SavedPlan | undefined {
  return savedPlanSchema.safeParse(findJsonInside(dir, plan)).data;
}
