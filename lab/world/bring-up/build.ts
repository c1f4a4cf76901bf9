import type { Lab } from '../lab.ts';
import { settleWorld } from '../settle/settle.ts';
import type { PristineWorld } from '../world.ts';
import { bootNodes, probeNodes } from '../steps/boot-nodes.ts';
import { runSteps, startSteps, type BuildInput } from '../steps/build-step.ts';
import { awaitCluster } from '../steps/cluster-ready.ts';
import { initCluster } from '../steps/init-cluster.ts';
import { keepWorld } from '../steps/keep-world.ts';
import { joinWorkers } from '../steps/join-workers.ts';
import { makeMachines } from '../steps/make-machines.ts';
import { reserveWorld } from '../steps/reserve-world.ts';
import { saveWorld } from '../steps/save-world.ts';

/** From an image to a saved world. */
export const BUILD_STEPS = startSteps()
  .next(reserveWorld)
  .next(makeMachines)
  .next(bootNodes)
  .next(probeNodes)
  .next(initCluster)
  .nextIf(({ nodes }) => nodes.length > 1, joinWorkers)
  .next(awaitCluster)
  .next(settleWorld)
  .next(saveWorld);

/**
 * Builds a world from its image to the `ready` snapshot. When a step fails, what was made is taken back by the undo list
 * of the lab.
 *
 * @param input `keep` leaves a half-built world for a look inside.
 */
export async function buildWorld(
  lab: Lab,
  input: BuildInput & { readonly keep: boolean },
): Promise<PristineWorld> {
  const { host } = lab;
  const startedAt = host.clock.now();
  const { keep, ...plan } = input;
  const { world, timings } = await runSteps(lab, BUILD_STEPS, plan, { keep });
  return keepWorld(lab, world, { kind: 'world', startedAt, timings });
}
