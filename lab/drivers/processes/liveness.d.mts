/** Types of liveness.mjs, which is plain JavaScript because it runs before node modules are there. */
import type { IsProcessAlive } from '../../model/host/host.ts';

/**
 * Returns when a process started, in clock ticks since boot (field 22 of /proc/<pid>/stat, proc(5)); undefined when
 * there is no such process or it is a zombie. With the pid it names one process for ever: a reused pid differs.
 */
export function findStartTicks(pid: number): string | undefined;

/** Returns whether the process that is meant still runs. */
export const isProcessAlive: IsProcessAlive;
