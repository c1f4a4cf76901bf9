import { createHash, randomUUID } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { z } from 'zod';
import { HostError } from '../../model/errors/errors.ts';
import type { Clock, Look } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { formatCommand } from '../programs/command.ts';
import { createWaitFor } from '../clock.ts';
import { findText } from '../files/files.ts';
import { isProcessAlive } from '../processes/liveness.mjs';
import { thisProcess } from '../processes/processes.ts';
import { detailsOfCause } from '../files/name-host-fault.ts';
import { makeFolders } from '../files/make-folders.ts';

const lockSchema = z.strictObject({
  pid: z.number().int(),
  /** Start time of that process (field 22 of /proc/<pid>/stat): a reused pid is not the holder. */
  startTicks: z.string(),
  command: z.string(),
  at: z.string(),
  /** Tells two locks of one process apart. */
  token: z.string(),
});

/** Who holds a state folder. */
export type LockHolder = z.infer<typeof lockSchema>;

/** A held lock. */
export interface Lock {
  /** Gives the folder back; harmless when done twice, and when somebody else has it by now. */
  release(): void;
}

/** A command line is shown so that a person recognises it. That of a run may name hundreds of cells. */
const MAX_COMMAND = 80;
/** Pause between two looks at a lock that somebody holds. */
const WAIT_LOOK_MS = 500;

/** Returns the living lab that holds a lock; undefined when no lab holds it, or a dead one. */
export function findLockHolder(path: string): LockHolder | undefined {
  return livingHolder(findText(path));
}

function livingHolder(text: string | undefined): LockHolder | undefined {
  const holder = parseHolder(text);
  return holder !== undefined && isProcessAlive(holder.pid, holder) ? holder : undefined;
}

/** How to wait for a lock. */
export interface LockWait {
  /** Called once for each lab that is found to hold it. */
  onHeld(holder: LockHolder): void;
  readonly signal: AbortSignal;
}

/**
 * Like `acquireLock`, but waits until the lab that holds the folder is done, however long that takes.
 *
 * @throws InterruptedError when the signal fires meanwhile; HostError LAB_LOCK.
 */
export async function awaitLock(path: string, clock: Clock, wait: LockWait): Promise<Lock> {
  let announced: string | undefined;
  const look = async (): Promise<Look<Lock>> => {
    try {
      return { done: true, value: await acquireLock(path, clock) };
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'LAB_BUSY') throw error;
      const holder = findLockHolder(path);
      if (holder !== undefined && holder.token !== announced) wait.onHeld(holder);
      announced = holder?.token ?? announced;
      return { done: false, seen: error.lastSeen ?? 'another lab' };
    }
  };
  return createWaitFor(clock, wait.signal)(
    { title: `the turn to use ${dirname(path)}`, look },
    { timeoutMs: Number.MAX_SAFE_INTEGER, intervalMs: WAIT_LOOK_MS },
  );
}

/**
 * Makes this process the only lab that changes a state folder. A lock whose holder died is taken over.
 *
 * @throws HostError LAB_BUSY when a living lab holds it; LAB_LOCK when the folder cannot be written.
 */
export async function acquireLock(
  path: string,
  clock: Clock,
  command: string = formatCommand('whodunit', process.argv.slice(2)),
): Promise<Lock> {
  const mine: LockHolder = {
    ...thisProcess(),
    command,
    at: new Date(clock.now()).toISOString(),
    token: randomUUID(),
  };
  const draft = writeDraft(path, mine);
  try {
    if (!linkIfFree(draft, path)) await takeOver(path, draft, clock);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    release: () => {
      if (parseHolder(findText(path))?.token === mine.token) rmSync(path, { force: true });
    },
  };
}

/** The lock is complete before it has its name: nobody ever reads half a lock. */
function writeDraft(path: string, content: LockHolder): string {
  // A name that `whodunit gc` knows: who dies here leaves it behind.
  const draft = `${path}.${content.token}.${content.pid}.tmp`;
  try {
    makeFolders(dirname(path));
    writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o644, flag: 'wx' });
    return draft;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new HostError(
      'LAB_LOCK',
      `the state folder ${dirname(path)} cannot be written`,
      detailsOfCause(error, 'free some disk; WHODUNIT_HOME=<folder> chooses another folder'),
    );
  }
}

/** link(2) fails when the name exists, on every file system: the one step that decides. */
function linkIfFree(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new HostError('LAB_LOCK', `no lock could be made in ${dirname(path)}`, {
      lastSeen: (error as Error).message,
      tryNext: 'use a folder on a Linux file system: WHODUNIT_HOME=<folder>',
      cause: error,
    });
  }
}

/**
 * Replaces a dead holder's lock. Two labs may find the same dead holder, and the slower one must not replace the
 * faster one's new lock: only one at a time looks and replaces. The guard is an abstract socket (unix(7)), which
 * the kernel frees when its process dies, so the guard itself cannot become stale.
 */
async function takeOver(path: string, draft: string, clock: Clock): Promise<void> {
  const guard = await enterGuard(path, clock);
  try {
    const seen = findText(path);
    const holder = livingHolder(seen);
    if (holder !== undefined) throw busy(path, holder);
    // It may have been released at any time before this, and linked by another lab, which has no guard. What is still there after
    // its holder was found dead stays: only its holder removes it.
    const text = findText(path);
    if (text !== undefined && text === seen) renameSync(draft, path);
    else if (!linkIfFree(draft, path)) throw busy(path, findLockHolder(path));
  } finally {
    await new Promise<void>((resolve) => guard.close(() => resolve()));
  }
}

function enterGuard(path: string, clock: Clock): Promise<Server> {
  const name = `\0whodunit-lock-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  const look = async (): Promise<Look<Server>> => {
    const server = await listenOn(name);
    return server === undefined
      ? { done: false, seen: 'another lab is deciding' }
      : { done: true, value: server };
  };
  return createWaitFor(clock)(
    { title: `the turn to look at ${path}`, look },
    { timeoutMs: TIME_LIMITS.host.lockTakeover.ms, intervalMs: 20 },
  );
}

function listenOn(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => resolve(server));
  });
}

/** Names the holder of a lock for a person: `process 4711 (whodunit run set=full, since 2026-…)`, a long command cut. */
export function describeHolder({ pid, command, at }: LockHolder): string {
  const short = command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND - 1)}…` : command;
  return `process ${pid} (${short}, since ${at})`;
}

function busy(path: string, holder: LockHolder | undefined): HostError {
  const who = holder === undefined ? 'another lab' : describeHolder(holder);
  return new HostError('LAB_BUSY', `another lab is using ${dirname(path)}`, {
    lastSeen: who,
    tryNext:
      'leave out --no-wait, or give a second lab its own folder: WHODUNIT_HOME=<folder> npx whodunit …',
  });
}

function parseHolder(text: string | undefined): LockHolder | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed = lockSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // this version did not write it: no lab holds it
  }
}
