import type { Kubernetes } from '../drivers/kubernetes/kubernetes.ts';
import type { RunEvent } from '../model/saved/run-event.ts';
import type { Guest } from '../model/host/host.ts';
import type { ReadyRecord } from './world-record.ts';

/** What every world has to which the lab is connected. */
export interface OpenWorld {
  readonly record: ReadyRecord;
  /** One connection per node, control plane first. */
  readonly guests: readonly Guest[];
  readonly kubernetes: Kubernetes;
}

/** A world in which nothing was done since its `ready` snapshot was taken or restored. */
export interface PristineWorld extends OpenWorld {
  readonly phase: 'pristine';
}

/** A world in which a cell was begun: only a restore makes it pristine again. */
export interface UsedWorld extends OpenWorld {
  readonly phase: 'used';
  /** A node that was rebooted gets a new connection. */
  readonly guests: Guest[];
}

/** A world to which the lab is not connected, parked or not: it is what its snapshot holds. */
export interface SavedWorld {
  readonly phase: 'saved';
  readonly record: ReadyRecord;
}

/** A world that could not be made pristine again. */
export interface LostWorld {
  readonly phase: 'lost';
  /** In words, for the results of its cells. */
  readonly why: string;
}

/** Called with what happens to a world on its way up, for the events of a run. */
export type ReportWorld = (event: RunEvent['event'], detail: string) => void;

/** Hands a world over to a cell. */
export function beginUse(world: PristineWorld): UsedWorld {
  return { ...world, phase: 'used', guests: [...world.guests] };
}

/** Closes the connections of a world; its machines stay as they are. */
export function closeWorld(world: OpenWorld): void {
  for (const guest of world.guests) guest.close();
  world.kubernetes.close();
}
