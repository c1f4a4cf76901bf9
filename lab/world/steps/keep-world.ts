import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { PastTiming } from '../../plan/worlds/estimate.ts';
import { keepTiming } from '../keep-timing.ts';
import type { Lab } from '../lab.ts';
import type { ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import type { SettledWorld } from './build-step.ts';

/** The record of a world that has its snapshot, with what was read back of it. */
export function recordReady(
  { record, restartsDeclared, effective }: SettledWorld,
  timings: Readonly<Record<string, number>>,
): ReadyRecord {
  return { ...record, state: 'ready', restartsDeclared, effective, timings: { ...timings } };
}

/** Writes the record of a world that has its snapshot, and what it took. From now on it stays. */
export function keepWorld(
  lab: Lab,
  world: SettledWorld,
  made: {
    readonly kind: PastTiming['kind'];
    /** The time by the clock of the host. */
    readonly startedAt: number;
    /** What each step took, in milliseconds. */
    readonly timings: Readonly<Record<string, number>>;
  },
): PristineWorld {
  const { host } = lab;
  const { guests, kubernetes } = world;
  const record = recordReady(world, made.timings);
  writeJsonAtomic(statePaths(host.stateDir).world(record.name).record, record);
  const seconds = (host.clock.now() - made.startedAt) / 1000;
  keepTiming(host, { kind: made.kind, name: record.name, seconds });
  lab.undo.disarm();
  return { phase: 'pristine', record, guests, kubernetes };
}
