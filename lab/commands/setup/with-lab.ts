import { listQemuGuests } from '../../drivers/machines/qemu-guests.ts';
import { libvirtPrefix } from '../../model/host/machine.ts';
import { sum } from '../../model/text/sum.ts';
import { openLab, type Lab } from '../../world/lab.ts';
import { prepareHost } from '../../world/host/prepare.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';
import { takeLock } from './take-lock.ts';

/** The memory and disk that a verb needs on the host. */
export interface Needs {
  readonly memoryMiB: number;
  readonly diskMiB: number;
}

/**
 * Runs a verb that changes the host: it takes the lock, checks the host, then does the work. When the work fails or is
 * interrupted, everything that it registered is undone.
 *
 * @throws HostError LAB_BUSY when another lab uses the state folder and `flags` say not to wait for it; HostError
 *   with every host problem.
 */
export async function withLab<T>(
  context: Context,
  config: Config,
  needs: Needs,
  work: (lab: Lab) => Promise<T>,
  flags: Flags,
): Promise<T> {
  const lock = await takeLock(context, flags);
  try {
    const memoryMiB = Math.max(0, needs.memoryMiB - residentOfOursMiB(context.stateDir));
    await prepareHost(context, { ...needs, memoryMiB });
    const lab = await openLab(context, config);
    try {
      return await work(lab);
    } catch (error) {
      await lab.undo.run(context.progress);
      throw error;
    }
  } finally {
    await lock.release();
  }
}

/**
 * Returns the memory of the worlds of this state folder, in MiB. It counts as free, because these worlds are used again or
 * parked.
 */
export function residentOfOursMiB(stateDir: string): number {
  const ours = listQemuGuests().filter(({ name }) => name.startsWith(libvirtPrefix(stateDir)));
  return sum(ours.map(({ residentMiB }) => residentMiB));
}
