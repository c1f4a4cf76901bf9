import { writeJsonAtomic } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { PastTiming } from '../../plan/worlds/estimate.ts';
import { keepTiming } from '../keep-timing.ts';
import type { Lab } from '../lab.ts';
import type { ReadyRecord } from '../world-record.ts';
import type { PristineWorld } from '../world.ts';
import type { SettledWorld } from './build-step.ts';

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
  const { restartsDeclared, effective, guests, kubernetes } = world;
  const timings = { ...made.timings };
  const record: ReadyRecord = { ...world.record, state: 'ready', restartsDeclared, effective, timings };
  writeJsonAtomic(statePaths(host.stateDir).world(record.name).record, record);
  const seconds = (host.clock.now() - made.startedAt) / 1000;
  keepTiming(host, { kind: made.kind, name: record.name, seconds });
  lab.undo.disarm();
  return { phase: 'pristine', record, guests, kubernetes };
}
