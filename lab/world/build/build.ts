import { appendLine, writeJsonAtomic } from '../../drivers/files.ts';
import { statePaths } from '../../model/paths.ts';
import type { Lab } from '../lab.ts';
import { settleWorld } from '../settle/settle.ts';
import type { ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import { bootNodes, probeNodes } from './boot-nodes.ts';
import { runSteps, startSteps, type BuildInput } from './build-step.ts';
import { awaitCluster } from './cluster-ready.ts';
import { initCluster } from './init-cluster.ts';
import { joinWorkers } from './join-workers.ts';
import { makeMachines } from './make-machines.ts';
import { reserveWorld } from './reserve-world.ts';
import { saveWorld } from './save-world.ts';

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
  const { restartsDeclared, effective } = world;
  const record: ReadyRecord = { ...world.record, state: 'ready', restartsDeclared, effective, timings };
  writeJsonAtomic(statePaths(host.stateDir).world(record.name).record, record);
  appendLine(
    statePaths(host.stateDir).timings,
    JSON.stringify({ kind: 'world', name: record.name, seconds: (host.clock.now() - startedAt) / 1000 }),
  );
  lab.undo.disarm();
  return { phase: 'pristine', record, guests: world.guests, kubernetes: world.kubernetes };
}
