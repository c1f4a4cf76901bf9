import { acquireLock, awaitLock, describeHolder, type Lock } from '../../drivers/claims/lock.ts';
import { ensurePrivateFolder, refuseOpenCache } from '../../drivers/files/private-folder.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/**
 * Takes the lock of the state folder: one lab at a time changes it, and a second one says whom it waits for.
 *
 * Before that, the state folder is closed to other users.
 *
 * @throws HostError LAB_STATE_FOLDER when it cannot be closed; LAB_BUSY at once with `--no-wait`; InterruptedError when
 *   the user gives up waiting.
 */
export async function takeLock(context: Context, flags: Flags): Promise<Lock> {
  ensurePrivateFolder(context.stateDir);
  refuseOpenCache(context.cacheDir);
  const path = statePaths(context.stateDir).lock;
  if (flags.wait === false) return acquireLock(path, context.clock);
  return awaitLock(path, context.clock, {
    signal: context.signal,
    onHeld: (holder) =>
      context.progress.note(
        `waiting for ${describeHolder(holder)}, which uses ${context.stateDir}; ` +
          'set WHODUNIT_HOME=<folder> to use another state folder',
      ),
  });
}
