import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { cellPaths } from '../model/paths.ts';
import { listFolder, pathExists } from './files.ts';

/** An evidence file that is read piece by piece, each time from its beginning. */
export interface StreamedFile {
  readonly chunks: () => Iterable<Uint8Array>;
}

const CHUNK_BYTES = 1024 * 1024;
const EVIDENCE = /\.(log|jsonl|json)$/;

/** Folders with a `cell.json`, the given one or below it: variant, scenario, and the runs of a repeated cell. */
export function findCellFolders(folder: string, depth = 5): string[] {
  const own = pathExists(cellPaths(folder).record) ? [folder] : [];
  if (depth === 0) return own;
  return [...own, ...listFolder(folder).flatMap((name) => findCellFolders(join(folder, name), depth - 1))];
}

/** Reads the evidence files of a cell's folder: path inside the folder → text. Two levels deep, as documented. */
export function readCellFolder(dir: string): Map<string, string> {
  return new Map(listEvidence(dir).map((path) => [path, readFileSync(join(dir, path), 'utf8')]));
}

/** The same files, none of which is ever in memory as a whole: a log may be larger than what a program can hold. */
export function openCellFolder(dir: string): Map<string, StreamedFile> {
  return new Map(listEvidence(dir).map((path) => [path, { chunks: () => readChunks(join(dir, path)) }]));
}

function listEvidence(dir: string): string[] {
  return listFolder(dir)
    .flatMap((name) => {
      const below = listFolder(join(dir, name));
      return below.length === 0 ? [name] : below.map((file) => join(name, file));
    })
    .filter((path) => EVIDENCE.test(path));
}

function* readChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const size = readSync(file, buffer);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}
