import type { Accelerator } from '../../model/host/host.ts';

/**
 * How much longer the cell of an emulated node may take than its scenario says. The same cell has taken six times as long
 * from one day to another. A cell that ends as expected ends no later for it.
 */
const EMULATED_TIMES = 2;

/** Longest time that the victim of a cell is watched, in milliseconds. */
export function watchMs(timeoutSeconds: number, accelerator: Accelerator): number {
  return timeoutSeconds * 1000 * (accelerator === 'tcg' ? EMULATED_TIMES : 1);
}
