import { appendLine, writeJsonAtomic } from '../../drivers/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { PastTiming } from '../../plan/estimate.ts';
import type { Lab } from '../lab.ts';
import { settleWorld } from '../settle/settle.ts';
import type { ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import { bootNodes, probeNodes } from './boot-nodes.ts';
import { runSteps, startSteps, type BuildInput, type SettledWorld } from './build-step.ts';
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
  return keepWorld(lab, world, { kind: 'world', startedAt, timings });
}

/** Writes the record of a world that has its snapshot, and what it took. From now on it stays. */
export function keepWorld(
  lab: Lab,
  world: SettledWorld,
  made: {
    readonly kind: PastTiming['kind'];
    /** By the clock of the host. */
    readonly startedAt: number;
    /** What each step took, in milliseconds. */
    readonly timings: Readonly<Record<string, number>>;
  },
): PristineWorld {
  const { host } = lab;
  const { restartsDeclared, effective, guests, kubernetes } = world;
  const timings = { ...made.timings };
  const record: ReadyRecord = { ...world.record, state: 'ready', restartsDeclared, effective, timings };
  writeJsonAtomic(statePaths(host.stateDir).world(record.name).record, record);
  const seconds = (host.clock.now() - made.startedAt) / 1000;
  const timing: PastTiming = { kind: made.kind, name: record.name, seconds };
  appendLine(statePaths(host.stateDir).timings, JSON.stringify(timing));
  lab.undo.disarm();
  return { phase: 'pristine', record, guests, kubernetes };
}
