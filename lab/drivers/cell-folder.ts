import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../model/errors.ts';
import { cellPaths } from '../model/paths.ts';
import { isFolder, listFolder, pathExists } from './files.ts';

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

/** The same files in pieces: no file is ever whole in memory. A log may be larger than a program can hold. */
export function openCellFolder(dir: string): Map<string, StreamedFile> {
  return new Map(listEvidence(dir).map((path) => [path, { chunks: () => readChunks(join(dir, path)) }]));
}

/** @throws ConfigError when what should be a file of evidence is a folder. */
function listEvidence(dir: string): string[] {
  const paths = listFolder(dir)
    .flatMap((name) => {
      if (EVIDENCE.test(name)) return [name];
      return listFolder(join(dir, name)).map((file) => join(name, file));
    })
    .filter((path) => EVIDENCE.test(path));
  const folders = paths.filter((path) => isFolder(join(dir, path)));
  if (folders.length > 0)
    throw new ConfigError(
      folders.map((path) => ({ file: join(dir, path), path: '', expected: 'a file', received: 'a folder' })),
      { what: 'the evidence' },
    );
  return paths;
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
