import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { sep } from 'node:path';
import { HostError } from '../../model/errors/errors.ts';
import { nameHostFault } from './name-host-fault.ts';

/** open(2): names a file without opening it. Node has no name for it. */
const O_PATH = 0o10000000;
/** More than any text that the lab writes into one file, and less than a string may have. */
export const MAX_TEXT_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Opens a regular file for reading; undefined when there is none. Whatever else has that name is never opened: a pipe
 * would be waited for, a device may have no end, and some devices act on being opened. What was looked at is what is
 * opened, so nobody can exchange it in between.
 *
 * @param root the folder that the file must be in, wherever links in its path lead; left out: it may be anywhere.
 * @throws HostError LAB_STATE_FILE when it is not a regular file or is elsewhere; LAB_ACCESS when it may not be read.
 */
export function openRegular(path: string, root?: string): number | undefined {
  const named = openNamed(path, constants.O_RDONLY | O_PATH);
  if (named === undefined) return undefined;
  try {
    const link = `/proc/self/fd/${named}`;
    if (root !== undefined && !isBelow(readlinkSync(link), realpathSync(root)))
      throw refuseFile(path, 'is elsewhere');
    if (!fstatSync(named).isFile()) throw refuseFile(path, 'is not a file');
    return openNamed(link, constants.O_RDONLY | constants.O_NONBLOCK, path);
  } finally {
    closeSync(named);
  }
}

/**
 * Reads a whole regular file; undefined when there is none.
 *
 * @param root as for `openRegular`.
 * @throws HostError LAB_STATE_FILE as `openRegular`, and when it has more than `maxBytes`.
 */
export function findBytes(path: string, maxBytes: number, root?: string): Buffer | undefined {
  const file = openRegular(path, root);
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw refuseFile(path, `has ${size} bytes; at most ${maxBytes} are read`);
    // Files of /proc have no size, and are read to their end.
    return naming(path, () => readFileSync(file));
  } finally {
    closeSync(file);
  }
}

/** The content of a regular file piece by piece, from its beginning; nothing when there is none. Throws like `openRegular`. */
export function* readPieces(path: string, root?: string): Generator<Buffer> {
  const file = openRegular(path, root);
  if (file === undefined) return;
  try {
    let room = Buffer.allocUnsafe(roomFor(fstatSync(file).size));
    for (;;) {
      const size = naming(path, () => readSync(file, room));
      if (size === 0) return;
      yield room.subarray(0, size);
      room = room.length > size ? room.subarray(size) : Buffer.allocUnsafe(CHUNK_BYTES);
    }
  } finally {
    closeSync(file);
  }
}

/** A byte more than the file has, so that its end is found without more room. Files of /proc say that they have none. */
function roomFor(bytes: number): number {
  return bytes === 0 ? CHUNK_BYTES : Math.min(bytes + 1, CHUNK_BYTES);
}

/** What reads an open file: the system does not say which one it could not read. */
export function naming<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw nameHostFault(error, path);
  }
}

/** Whether a path without links is a folder or is below it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What is said of a file that is not read. */
export function refuseFile(path: string, why: string, cause?: unknown): HostError {
  return new HostError('LAB_STATE_FILE', `${path} ${why}: not read`, {
    tryNext: 'look at it and move it away: the lab writes only regular files, each into its own folder',
    cause,
  });
}

/** What is said of a file or folder that cannot be opened, by what the system says of it. */
export function refuseOpening(path: string, error: unknown): unknown {
  const named = nameHostFault(error, path);
  if (named !== error) return named;
  const { code, message } = error as NodeJS.ErrnoException;
  return refuseFile(path, `cannot be opened (${code ?? message})`, error);
}

/** @param name what a person calls it. */
function openNamed(path: string, flags: number, name = path): number | undefined {
  if (path.includes('\0')) throw refuseFile(name.replaceAll('\0', ' '), 'is not a path');
  try {
    return openSync(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuseOpening(name, error);
  }
}
