import type { Accelerator } from '../../model/host/host.ts';

/**
 * How much longer something of a scenario may take on an emulated node than the scenario says. The same cell has taken six
 * times as long from one day to another. What ends as expected ends no later for it.
 */
const EMULATED_TIMES = 2;

/** Longest time that the victim of a cell is watched, or that a script of its scenario runs, in milliseconds. */
export function longestMs(timeoutSeconds: number, accelerator: Accelerator): number {
  return timeoutSeconds * 1000 * (accelerator === 'tcg' ? EMULATED_TIMES : 1);
}
