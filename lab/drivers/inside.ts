import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { HostError } from '../model/errors.ts';

/** One read. */
const CHUNK_BYTES = 1024 * 1024;

/** A line of a file, counted from 1. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
  /** Whether the line is longer than what was kept of it. */
  readonly isCut: boolean;
}

/** Which lines to read, and how much of them. */
export interface LineWindow {
  /** The first line, counted from 1. */
  readonly from: number;
  readonly count: number;
  /** What is kept of one line, in bytes. */
  readonly maxLineBytes: number;
}

/**
 * Reads a text file that lies in a folder, wherever links in its path lead; undefined when there is none.
 *
 * @throws HostError LAB_STATE_FILE when it lies elsewhere, is no regular file, or has more than `maxBytes`.
 */
export function findTextInside(root: string, path: string, maxBytes: number): string | undefined {
  const file = openInside(root, path);
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw refuse(root, path, `has ${size} bytes; at most ${maxBytes} are read`);
    return readPiece(file, 0, size).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * Reads some lines of a file like `findTextInside`. Never more than a piece of the file is in memory.
 *
 * @throws HostError LAB_STATE_FILE when it lies elsewhere or is no regular file.
 */
export function findLinesInside(root: string, path: string, window: LineWindow): NumberedLine[] | undefined {
  const file = openInside(root, path);
  if (file === undefined) return undefined;
  try {
    return readWindow(file, window);
  } finally {
    closeSync(file);
  }
}

/** A file below a folder. */
export interface FileBelow {
  /** Relative to the folder. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Lists the regular files below a folder that lies in another; links are left out. Empty when there is no such folder.
 *
 * @throws HostError LAB_STATE_FILE when it lies elsewhere.
 */
export function listFilesInside(root: string, path: string, depth = 3): FileBelow[] {
  let folder: string;
  try {
    folder = realpathSync(resolve(root, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw refuse(root, path, 'cannot be opened', error);
  }
  if (!folder.startsWith(realpathSync(root) + sep)) throw refuse(root, path, 'lies elsewhere');
  return listFiles(folder, '', depth);
}

function listFiles(folder: string, below: string, depth: number): FileBelow[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      if (entry.isDirectory()) return depth > 0 ? listFiles(folder, path, depth - 1) : [];
      return entry.isFile() ? [{ path, bytes: statSync(join(folder, path)).size }] : [];
    });
}

function readWindow(file: number, { from, count, maxLineBytes }: LineWindow): NumberedLine[] {
  const lines: NumberedLine[] = [];
  let line = 1;
  let kept = Buffer.alloc(0);
  let bytes = 0;
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    if (line >= from) kept = Buffer.concat([kept, piece.subarray(0, maxLineBytes - kept.length)]);
  };
  const end = (): void => {
    if (line >= from) lines.push({ line, text: kept.toString('utf8'), isCut: bytes > kept.length });
    line += 1;
    kept = Buffer.alloc(0);
    bytes = 0;
  };
  for (let position = 0; ;) {
    const piece = readPiece(file, position, CHUNK_BYTES);
    if (piece.length === 0) break;
    position += piece.length;
    let start = 0;
    for (let newline = piece.indexOf(10); newline >= 0; newline = piece.indexOf(10, start)) {
      take(piece.subarray(start, newline));
      end();
      if (lines.length === count) return lines;
      start = newline + 1;
    }
    take(piece.subarray(start));
  }
  // A last line without an end.
  if (bytes > 0) end();
  return lines;
}

function readPiece(file: number, position: number, size: number): Buffer {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  for (;;) {
    const got = readSync(file, buffer, filled, size - filled, position + filled);
    filled += got;
    if (got === 0 || filled === size) return buffer.subarray(0, filled);
  }
}

/**
 * Opens first and asks then where that is: between a question and an opening somebody could exchange a link. A pipe is
 * not waited for.
 */
function openInside(root: string, path: string): number | undefined {
  if (path.includes('\0')) throw refuse(root, path, 'is no path');
  let file: number;
  try {
    file = openSync(resolve(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuse(root, path, 'cannot be opened', error);
  }
  try {
    const real = readlinkSync(`/proc/self/fd/${file}`);
    if (!real.startsWith(realpathSync(root) + sep)) throw refuse(root, path, 'lies elsewhere');
    if (!fstatSync(file).isFile()) throw refuse(root, path, 'is no file');
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function refuse(root: string, path: string, why: string, cause?: unknown): HostError {
  return new HostError('LAB_STATE_FILE', `${path} of ${root} ${why}: not read`, {
    tryNext: 'look at that folder: a run writes only regular files below its own',
    cause,
  });
}
