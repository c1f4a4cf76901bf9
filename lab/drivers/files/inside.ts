import { closeSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseStateJson } from './files.ts';
import {
  findBytes,
  isBelow,
  naming,
  openRegular,
  readPieces,
  refuseFile,
  refuseOpening,
} from './open-file.ts';

/**
 * Folders of runs and of cells may come from somebody else. Whatever reads in one goes through these functions: they
 * read only regular files, and none that is elsewhere.
 */

/** What one read gave. */
const CHUNK_BYTES = 1024 * 1024;
/** Most entries below a folder that is listed: a run of a thousand cells has some ten thousand files. */
const MAX_ENTRIES = 200_000;

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
 * Reads a file that is in a folder, wherever links in its path lead; undefined when there is none.
 *
 * @throws HostError LAB_STATE_FILE when it is elsewhere, is not a regular file, or has more than `maxBytes`.
 */
export function findBytesInside(root: string, path: string, maxBytes: number): Buffer | undefined {
  return findBytes(resolve(root, path), maxBytes, root);
}

/** Records next to evidence are some kB. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/**
 * Reads a JSON file like `findBytesInside`; undefined when there is none. The caller validates the shape.
 *
 * @throws HostError LAB_STATE_FILE also when it is not JSON.
 */
export function findJsonInside(root: string, path: string, maxBytes = MAX_RECORD_BYTES): unknown {
  const text = findTextInside(root, path, maxBytes);
  return text === undefined ? undefined : parseStateJson(resolve(root, path), text);
}

/** Reads a text file like `findBytesInside`. */
export function findTextInside(root: string, path: string, maxBytes: number): string | undefined {
  return findBytesInside(root, path, maxBytes)?.toString('utf8');
}

/** The content of such a file piece by piece. Throws like `findBytesInside`; no length is too much. */
export function readPiecesInside(root: string, path: string): Generator<Buffer> {
  return readPieces(resolve(root, path), root);
}

/**
 * Reads some lines of a file like `findTextInside`. Never more than a piece of the file is in memory.
 *
 * @throws HostError LAB_STATE_FILE when it is elsewhere or is not a regular file.
 */
export function findLinesInside(root: string, path: string, window: LineWindow): NumberedLine[] | undefined {
  const file = openRegular(resolve(root, path), root);
  if (file === undefined) return undefined;
  try {
    return naming(path, () => readWindow(file, window));
  } finally {
    closeSync(file);
  }
}

/**
 * The real path of a folder that is in another one, or is it; undefined when there is none.
 *
 * @throws HostError LAB_STATE_FILE when it is elsewhere, or is not a folder.
 */
export function findFolderInside(root: string, path: string): string | undefined {
  const whole = resolve(root, path);
  let folder: string;
  try {
    folder = realpathSync(whole);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refuseOpening(whole, error);
  }
  if (!isBelow(folder, realpathSync(root))) throw refuseFile(whole, 'is elsewhere');
  if (!statSync(folder).isDirectory()) throw refuseFile(whole, 'is not a folder');
  return folder;
}

/** A file below a folder. */
interface FileBelow {
  /** Relative to the folder. */
  readonly path: string;
  readonly bytes: number;
}

/** What is below a folder. */
export interface Listing {
  /** The regular files, sorted by name in each folder. */
  readonly files: readonly FileBelow[];
  readonly folders: readonly string[];
  /** What is neither a file nor a folder: a link, a pipe, a socket or a device. */
  readonly others: readonly string[];
}

/**
 * Lists what is below a folder that is in another one; no link is followed. Empty when there is no such folder.
 *
 * @param depth levels of folders that are looked into.
 * @throws HostError LAB_STATE_FILE when it is elsewhere, or holds more than anybody would save.
 */
export function listInside(root: string, path: string, depth: number): Listing {
  const folder = findFolderInside(root, path);
  const files: FileBelow[] = [];
  const folders: string[] = [];
  const others: string[] = [];
  let count = 0;
  const list = (below: string, left: number): void => {
    const entries = readdirSync(join(folder ?? '', below), { withFileTypes: true });
    count += entries.length;
    if (count > MAX_ENTRIES) throw refuseFile(join(root, path), `holds more than ${MAX_ENTRIES} files`);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = join(below, entry.name);
      if (entry.isDirectory()) {
        folders.push(inner);
        if (left > 0) list(inner, left - 1);
      } else if (entry.isFile()) files.push({ path: inner, bytes: statSync(join(folder ?? '', inner)).size });
      else others.push(inner);
    }
  };
  if (folder !== undefined) list('', depth);
  return { files, folders, others };
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
