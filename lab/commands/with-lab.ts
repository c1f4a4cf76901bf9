import { acquireLock } from '../drivers/lock.ts';
import { statePaths } from '../model/paths.ts';
import { openLab, type Lab } from '../world/lab.ts';
import { prepareHost } from '../world/host/prepare.ts';
import type { Config } from '../plan/parse-config.ts';
import type { Context } from './context.ts';

/** What a verb is about to need of the host. */
export interface Needs {
  readonly memoryMiB: number;
  readonly diskMiB: number;
}

/**
 * Runs a verb that changes the host: lock first, then host checks, then the work; whatever the work registered to
 * be undone is undone when it fails or is interrupted.
 *
 * @throws HostError LAB_BUSY when another lab uses the state folder; HostError with every host problem.
 */
export async function withLab<T>(
  context: Context,
  config: Config,
  needs: Needs,
  work: (lab: Lab) => Promise<T>,
): Promise<T> {
  const lock = await acquireLock(statePaths(context.stateDir).lock, context.clock);
  try {
    await prepareHost(context, needs);
    const lab = await openLab(context, config.matrix.machine);
    try {
      return await work(lab);
    } catch (error) {
      await lab.undo.run(context.progress);
      throw error;
    }
  } finally {
    lock.release();
  }
}
