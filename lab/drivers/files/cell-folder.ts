import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from '../../model/errors/errors.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { sum } from '../../model/text/sum.ts';
import { nameHostFault } from './name-host-fault.ts';
import { pathExists } from './files.ts';
import { findTextInside, listInside, readPiecesInside } from './inside.ts';
import { MAX_TEXT_BYTES } from './open-file.ts';

/** An evidence file that is read piece by piece, each time from its beginning. */
export interface StreamedFile {
  readonly chunks: () => Iterable<Uint8Array>;
}

const EVIDENCE = /\.(log|jsonl|json)$/;
/** Evidence is in the folder of the cell and in those of its nodes. */
const LEVELS = 1;
/** All evidence of one cell together. The longest captured cell has a thousandth of it. */
const MAX_CELL_BYTES = 2 * 1024 * 1024 * 1024;

/**
 * Folders with a `cell.json`, the given one or below it: variant, scenario, and the runs of a repeated cell. No link is
 * followed.
 *
 * @throws HostError LAB_ACCESS when one may not be read: cells in it would be left out without a word.
 */
export function findCellFolders(folder: string, depth = 5): string[] {
  const own = pathExists(cellPaths(folder).record) ? [folder] : [];
  if (depth === 0) return own;
  const below = listEntries(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return [...own, ...below.flatMap((name) => findCellFolders(join(folder, name), depth - 1))];
}

function listEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Whatever was there is gone; in /proc that is a process.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw nameHostFault(error, folder);
  }
}

/** Reads the evidence files of a cell's folder: path inside the folder → text. Two levels deep, as documented. */
export function readCellFolder(dir: string): Map<string, string> {
  return new Map(listEvidence(dir).map((path) => [path, findTextInside(dir, path, MAX_TEXT_BYTES) ?? '']));
}

/**
 * The same files in pieces: no file is ever whole in memory. A log may be larger than a program can hold.
 *
 * @throws ConfigError when something in the folder is not a file of evidence; HostError LAB_STATE_FILE from the pieces.
 */
export function openCellFolder(dir: string): Map<string, StreamedFile> {
  return new Map(listEvidence(dir).map((path) => [path, { chunks: () => readPiecesInside(dir, path) }]));
}

/** @throws ConfigError naming whatever the lab did not write, and folders that nobody could have filled. */
function listEvidence(dir: string): string[] {
  const { files, folders, others } = listInside(dir, '.', LEVELS);
  const wrong = (path: string, expected: string, received: string): ConfigProblem => ({
    file: join(dir, path),
    path: '',
    expected,
    received,
  });
  const evidence = files.filter(({ path }) => EVIDENCE.test(path));
  const bytes = sum(evidence.map((file) => file.bytes));
  const problems = [
    ...folders.filter((path) => EVIDENCE.test(path)).map((path) => wrong(path, 'a file', 'a folder')),
    ...others.map((path) => wrong(path, 'a file', 'a link, pipe, socket or device')),
    ...(bytes > MAX_CELL_BYTES ? [wrong('', `${MAX_CELL_BYTES} bytes at most`, `${bytes} bytes`)] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems, { what: 'the evidence' });
  return evidence.map(({ path }) => path);
}
