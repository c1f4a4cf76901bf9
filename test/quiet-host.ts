import { join } from 'node:path';
import { createEntryLocks } from '../lab/drivers/claims/file-lock.ts';
import { createWaitFor, systemClock } from '../lab/drivers/clock.ts';
import { isProcessAlive } from '../lab/drivers/processes/liveness.mjs';
import type { Context } from '../lab/commands/context/context.ts';
import type { Host, Progress } from '../lab/model/host/host.ts';

/** Runs each step and says nothing. */
export const quietProgress: Progress = {
  step: (_title, work) => work(() => undefined),
  note: () => undefined,
};

/**
 * Returns a host that says nothing, starts no program, and has everything in one folder; what a test wants otherwise
 * it gives.
 */
export function createQuietHost(folder: string, given: Partial<Host> = {}): Host {
  const clock = given.clock ?? systemClock;
  const signal = given.signal ?? new AbortController().signal;
  return {
    run: () => Promise.reject(new Error('no program is needed')),
    clock,
    waitFor: createWaitFor(clock),
    isProcessAlive,
    progress: quietProgress,
    signal,
    uid: 1000,
    gid: 1000,
    projectDir: folder,
    stateDir: join(folder, 'state'),
    cacheDir: join(folder, 'cache'),
    locks: createEntryLocks(signal),
    openRemote: () => Promise.resolve(undefined),
    ...given,
  };
}

/** Returns the context of a verb on a quiet host: it downloads nothing, and prints nothing. */
export function createQuietContext(folder: string, given: Partial<Host> = {}): Context {
  return {
    ...createQuietHost(folder, given),
    download: () => Promise.reject(new Error('nothing is downloaded')),
    env: {},
    github: undefined,
    hold: () => async () => undefined,
    print: () => undefined,
    printPage: () => undefined,
    printTable: () => undefined,
    printJson: () => undefined,
  };
}
