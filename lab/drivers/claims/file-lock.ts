import { spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostError, InterruptedError } from '../../model/errors/errors.ts';
import type { EntryLocks } from '../../model/host/host.ts';
import { shellWord } from '../../model/text/shell.ts';
import { detailsOfCause } from '../files/name-host-fault.ts';
import { makeFolders } from '../files/make-folders.ts';

/**
 * Locks by flock(2) of a file. The kernel frees them when their process ends, so none can become stale. The file stays,
 * because a lock on a removed file excludes nobody. Node has no flock: flock(1) of util-linux takes it on our open file,
 * as bin/bootstrap.mjs does too.
 */

type Mode = '--shared' | '--exclusive';

/** Exit code of flock(1) with --nonblock when somebody else has the lock. */
const BUSY = 1;

/** Files that this process has said it uses, by path: one lock is enough for all of its work. */
const used = new Map<string, Promise<number>>();

/** Opens the locks of a process; `signal` ends a wait. */
export function createEntryLocks(signal: AbortSignal): EntryLocks {
  return {
    use: async (path) => {
      const known = used.get(path);
      if (known !== undefined) return void (await known);
      const taken = take(path, '--shared', signal);
      used.set(path, taken);
      taken.catch(() => used.delete(path));
      await taken;
    },
    make: async (path, onWait) => {
      const file = await take(path, '--exclusive', signal, onWait);
      ftruncateSync(file);
      writeSync(
        file,
        `process ${process.pid} (${['whodunit', ...process.argv.slice(2)].map(shellWord).join(' ')})\n`,
      );
      return () => closeSync(file);
    },
  };
}

/**
 * Takes a lock that nobody else has, shared or not, without waiting.
 *
 * @returns what frees it; undefined when another process, or this one, has it.
 * @throws HostError LAB_LOCK.
 */
export async function tryLockFile(path: string): Promise<(() => void) | undefined> {
  const file = open(path);
  if ((await flock(file, ['--exclusive', '--nonblock'])) === 0) return () => closeSync(file);
  closeSync(file);
  return undefined;
}

/** Takes a lock, however long that takes, and returns the open file that has it. */
async function take(
  path: string,
  mode: Mode,
  signal: AbortSignal,
  onWait: (holder: string) => void = () => undefined,
): Promise<number> {
  const file = open(path);
  try {
    if ((await flock(file, [mode, '--nonblock'], signal)) === BUSY) {
      onWait(readFileSync(path, 'utf8').trim());
      await flock(file, [mode], signal);
    }
    if (signal.aborted) throw new InterruptedError(`interrupted while waiting for ${path}`);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function open(path: string): number {
  try {
    makeFolders(dirname(path));
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    throw new HostError(
      'LAB_LOCK',
      `no lock could be made in ${dirname(path)}`,
      detailsOfCause(error, 'make the cache writable, or put it elsewhere: WHODUNIT_CACHE=<folder>'),
    );
  }
}

/** Runs flock(1) on an open file; resolves to its exit code, whatever it is when the signal has fired. */
function flock(file: number, words: readonly string[], signal?: AbortSignal): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn('flock', [...words, '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
    const stop = (): void => void child.kill();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    child.once('error', (error) =>
      fail(
        new HostError('LAB_LOCK', `flock(1) could not be started: ${error.message}`, {
          tryNext: 'install util-linux',
          cause: error,
        }),
      ),
    );
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      const status = code ?? -1;
      if (status === 0 || status === BUSY || signal?.aborted === true) done(status);
      else
        fail(
          new HostError('LAB_LOCK', `flock(1) ended with ${status}`, {
            tryNext: 'use a cache on a Linux file system: WHODUNIT_CACHE=<folder>',
          }),
        );
    });
  });
}
