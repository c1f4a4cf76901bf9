import { randomUUID } from 'node:crypto';
import { accessSync, constants, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HostError } from '../../model/errors/errors.ts';
import type { Clock } from '../../model/host/host.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { findText, listFolder, writeJsonAtomic } from '../files/files.ts';
import { isProcessAlive } from '../processes/liveness.mjs';
import { awaitLock } from './lock.ts';
import { thisProcess } from '../processes/processes.ts';

/**
 * What labs of one user have been given of the host, whatever their state folders. A lab claims a world before it starts
 * its machines: two that start at the same moment do not both take the same room.
 */

const claimSchema = z.strictObject({
  pid: z.number().int(),
  /** Start time of that process: a reused pid is not the holder. */
  startTicks: z.string(),
  /** Canonical variant name. */
  world: z.string(),
  /** What the names of its guests begin with. */
  guests: z.string(),
  memoryMiB: z.number(),
  nodes: z.number().int(),
  vcpus: z.number().int(),
});

/** A world that a living lab runs, or is about to start. */
export type WorldClaim = z.infer<typeof claimSchema>;

/** The claims of all labs of this user. */
export interface ClaimBook {
  /**
   * Looks and decides while no other lab of this user does; `work` may take claims.
   *
   * @throws InterruptedError when the user gives up; HostError LAB_LOCK, LAB_STATE_FOLDER.
   */
  decide<T>(work: () => T | Promise<T>): Promise<T>;
  /** Claims of other living labs. */
  listOthers(): WorldClaim[];
  /** Claims a world for this process, until the returned function is called or the process ends. */
  take(claim: Omit<WorldClaim, 'pid' | 'startTicks'>): () => void;
}

/** Folders that every user may write to and that a boot clears; the first is used in which we may. */
const SHARED = ['/run/lock', '/tmp'];

/** Where the claims of a user are; it does not depend on any state folder. */
export function claimsFolder(uid: number): string {
  return join(SHARED.find(isWritable) ?? '/tmp', `whodunit-${uid}`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false; // not there, or not for us
  }
}

/** Opens the claims in a folder, which is made when it is needed. */
export function openClaimBook(folder: string, clock: Clock, signal: AbortSignal): ClaimBook {
  return {
    decide: async (work) => {
      makePrivateClaims(folder);
      const lock = await awaitLock(join(folder, 'deciding.lock'), clock, { signal, onHeld: () => undefined });
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
    listOthers: () => listOthers(folder),
    take: (claim) => {
      const path = join(folder, `${process.pid}-${randomUUID()}.json`);
      writeJsonAtomic(path, { ...thisProcess(), ...claim } satisfies WorldClaim);
      return () => rmSync(path, { force: true });
    },
  };
}

/** Reads what other labs claim, and removes what dead ones left. */
function listOthers(folder: string): WorldClaim[] {
  return listFolder(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(folder, name);
      // It may go while we look.
      const claim = claimSchema.safeParse(tryParseJson(findText(path) ?? '')).data;
      if (claim !== undefined && isProcessAlive(claim.pid, claim))
        return claim.pid === process.pid ? [] : [claim];
      rmSync(path, { force: true });
      return [];
    });
}

/** Makes the folder, or makes sure that it is only ours: anybody may make one of this name in a shared folder. */
export function makePrivateClaims(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new HostError('LAB_LOCK', `cannot make ${folder}, where labs record what they use of this host`, {
        lastSeen: (error as Error).message,
        tryNext: `free some room in ${join(folder, '..')}, or make it writable for all: chmod 1777`,
        cause: error,
      });
  }
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0) return;
  throw new HostError('LAB_STATE_FOLDER', `${folder} is not only yours`, {
    lastSeen: `mode ${(found.mode & 0o7777).toString(8)}, user ${found.uid}`,
    tryNext: `remove it: rm -r ${folder}`,
  });
}
