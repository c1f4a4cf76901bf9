import { variantName } from '../../model/axes/axes.ts';
import { keepTiming } from '../keep-timing.ts';
import type { Lab } from '../lab.ts';
import { settleWorld } from '../settle/settle.ts';
import type { PristineWorld } from '../world.ts';
import { bootNodes, probeNodes } from '../steps/boot-nodes.ts';
import { runSteps, startSteps, type BuildInput } from '../steps/build-step.ts';
import { awaitCluster } from '../steps/cluster-ready.ts';
import { initCluster } from '../steps/init-cluster.ts';
import { keepWorld, recordReady } from '../steps/keep-world.ts';
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

/**
 * Builds a world that is not kept: its record stays unfinished, and the undo list of the lab removes it. What a crash leaves of
 * it is garbage.
 *
 * @param input its recipe has a name of its own (`apartName`), so that the saved world of this variant stays as it is.
 */
export async function buildApart(lab: Lab, input: BuildInput): Promise<PristineWorld> {
  const { host } = lab;
  const startedAt = host.clock.now();
  const { world, timings } = await runSteps(lab, BUILD_STEPS, input, { keep: false });
  const seconds = (host.clock.now() - startedAt) / 1000;
  keepTiming(host, { kind: 'world', name: variantName(input.recipe.variant), seconds });
  const { guests, kubernetes } = world;
  return { phase: 'pristine', record: recordReady(world, timings), guests, kubernetes };
}
