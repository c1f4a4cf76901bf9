import type { Plan } from '../../plan/cells/plan-cells.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { spreadPlan } from '../../plan/cells/spread-plan.ts';
import { createEstimator } from '../../plan/worlds/estimate.ts';
import { parseLanes } from '../../plan/worlds/parse-lanes.ts';
import { expectAccelerator } from '../../world/host/accelerator.ts';
import { countFitting } from '../../world/host/admission.ts';
import { demandOf, readCapacity } from '../../world/run/capacity.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { readPastTimings } from '../setup/past-timings.ts';
import { residentOfOursMiB } from '../setup/with-lab.ts';

/**
 * Adds to the plan of a request the lanes that `--lanes` asks for; without the flag the request is unchanged. Starts
 * nothing.
 */
export function spreadRequest<
  Request extends { readonly config: Config; readonly plan: Plan; readonly flags: Flags },
>({ stateDir }: Pick<Context, 'stateDir'>, request: Request): Request {
  const { config, plan, flags } = request;
  if (flags.lanes === undefined) return request;
  const capacity = readCapacity(expectAccelerator(), undefined);
  const free = { ...capacity, availableMiB: capacity.availableMiB + residentOfOursMiB(stateDir) };
  const places = plan.worlds.map(({ name, variant }) => countFitting(demandOf(config, name, variant), free));
  const forkSeconds = createEstimator(readPastTimings({ stateDir })).fork().seconds;
  const host = { slots: Math.min(...places), forkSeconds };
  return { ...request, plan: spreadPlan(plan, parseLanes(flags.lanes), host) };
}
