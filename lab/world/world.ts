import type { Kubernetes } from '../drivers/kubernetes.ts';
import type { RunEvent } from '../model/formats.ts';
import type { Guest } from '../model/host.ts';
import type { WorldRecord } from './world-record.ts';

/** A world that is up: its record and the connections into it. */
export interface World {
  readonly record: WorldRecord;
  /** One connection per node, control plane first; a node that was rebooted gets a new one. */
  readonly guests: Guest[];
  readonly kubernetes: Kubernetes;
  /** True as long as nothing was done in it since the `ready` snapshot was taken or restored. */
  pristine: boolean;
}

/** Told what happens to a world on its way up, for the events of a run. */
export type ReportWorld = (event: RunEvent['event'], detail: string) => void;

/** Closes the connections of a world; its machines stay as they are. */
export function closeWorld(world: World): void {
  for (const guest of world.guests) guest.close();
  world.kubernetes.close();
}
