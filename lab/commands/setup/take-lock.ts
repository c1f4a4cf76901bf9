import { acquireLock, awaitLock, describeHolder, type LockHolder } from '../../drivers/claims/lock.ts';
import { ensurePrivateFolder, refuseOpenCache } from '../../drivers/files/private-folder.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Context } from '../context/context.ts';
import type { Flags } from '../context/flags.ts';

/** The lock of a state folder. While it is held, an interrupt fires `Context.signal`. */
export interface HeldLock {
  /** Releases the lock, and lets an interrupt end the process again. */
  release(): Promise<void>;
}

/**
 * Takes the lock of the state folder: only one lab at a time changes it, and a second one says whom it waits for.
 * Before that, it closes the state folder to other users.
 *
 * @throws HostError LAB_STATE_FOLDER when it cannot be closed; LAB_BUSY at once with `--no-wait`; InterruptedError when
 *   the user gives up waiting.
 */
export async function takeLock(context: Context, flags: Flags): Promise<HeldLock> {
  ensurePrivateFolder(context.stateDir);
  refuseOpenCache(context.cacheDir);
  const path = statePaths(context.stateDir).lock;
  const releaseHold = context.hold();
  try {
    const lock = await (flags.wait === false
      ? acquireLock(path, context.clock)
      : awaitLock(path, context.clock, {
          signal: context.signal,
          onHeld: (holder) => noteWait(context, holder),
        }));
    return {
      release: () => {
        lock.release();
        return releaseHold();
      },
    };
  } catch (error) {
    await releaseHold();
    throw error;
  }
}

function noteWait({ progress, stateDir }: Context, holder: LockHolder): void {
  progress.note(
    `waiting for ${describeHolder(holder)}, which uses ${stateDir}; ` +
      'set WHODUNIT_HOME=<folder> to use another state folder',
  );
}
