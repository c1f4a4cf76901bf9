import { join } from 'node:path';
import { isFolder, pathExists } from './files.ts';
import { listInside, readPiecesInside } from './inside.ts';
import { readPieces } from './open-file.ts';

/** A file of somebody's input, piece by piece. */
export interface InputFile {
  /** As the user knows it. */
  readonly path: string;
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Folders in folders; a collector makes some ten levels of them. */
const DEPTH = 40;
/** What standard input is called. */
const STDIN = '-';

/** Whether there is such an input: a file, a folder, or standard input. */
export function isInput(path: string): boolean {
  return path === STDIN || pathExists(path);
}

/**
 * The files of an input, folder by folder. In a folder no link is followed, and only regular files are opened.
 *
 * @throws HostError LAB_STATE_FILE when a named file is not a regular one; LAB_ACCESS when it may not be read.
 */
export function* inputFiles(paths: readonly string[]): Generator<InputFile> {
  for (const path of paths) {
    if (path === STDIN) yield { path: 'stdin', chunks: process.stdin };
    else if (isFolder(path))
      for (const file of listInside(path, '.', DEPTH).files)
        yield { path: join(path, file.path), chunks: readPiecesInside(path, file.path) };
    else yield { path, chunks: readPieces(path) };
  }
}
