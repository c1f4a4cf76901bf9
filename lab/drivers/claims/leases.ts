import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../../model/errors/errors.ts';
import type { Clock } from '../../model/host/host.ts';
import { openLeases, type Lease, type LeaseKind } from '../../model/host/lease.ts';
import { readLines } from '../files/files.ts';
import { detailsOfCause } from '../files/name-host-fault.ts';
import { makeFolders } from '../files/make-folders.ts';

/** The list of what must be removed from the host again: `leases.jsonl`, append-only. */
export interface LeaseBook {
  /**
   * Writes a lease to the disk BEFORE the thing exists. Returns its id.
   *
   * @throws HostError LAB_LEASES when it cannot be written; then nothing may be made.
   */
  take(kind: LeaseKind, target: string, owner: string, detail?: string): string;
  /** Marks a lease as released AFTER the thing is gone. An id that is not open is not an error. */
  release(id: string): void;
  /** What is still leased, by any lab that used this state folder, in the order taken. */
  open(): Lease[];
}

/** Opens the lease book at a path (made when the first lease is taken); `pid` is written as the holder. */
export function openLeaseBook(path: string, clock: Clock, pid: number): LeaseBook {
  const at = (): string => new Date(clock.now()).toISOString();
  return {
    take: (kind, target, owner, detail) => {
      const id = randomUUID();
      const lease: Lease = {
        id,
        kind,
        target,
        owner,
        ...(detail === undefined ? {} : { detail }),
        holder: pid,
        at: at(),
      };
      appendSafely(path, JSON.stringify({ op: 'take', lease }));
      return id;
    },
    release: (id) => appendSafely(path, JSON.stringify({ op: 'release', id, at: at() })),
    open: () => openLeases(readLines(path)),
  };
}

/** Appends a line and waits until it is on the disk. Of a new file, waits for its name in the folder too. */
function appendSafely(path: string, line: string): void {
  try {
    const isNew = !existsSync(path);
    makeFolders(dirname(path));
    const file = openSync(path, 'a+', 0o600);
    try {
      // A crash may have cut the last line short. Our line must not become a part of it.
      writeAll(file, Buffer.from(`${endsWithinLine(file) ? '\n' : ''}${line}\n`));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (isNew) syncFolder(dirname(path));
  } catch (error) {
    throw new HostError(
      'LAB_LEASES',
      `the list of what to clean up could not be written: ${path}`,
      detailsOfCause(error, 'free some disk; WHODUNIT_HOME=<folder> chooses another folder'),
    );
  }
}

function endsWithinLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

function writeAll(file: number, bytes: Buffer): void {
  const written = writeSync(file, bytes);
  if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
