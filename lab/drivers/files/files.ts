import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  opendirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { HostError, UsageError } from '../../model/errors/errors.ts';
import { parseJson } from '../../model/files/parse-json.ts';
import { nameHostFault } from './name-host-fault.ts';
import { findBytes, MAX_TEXT_BYTES } from './open-file.ts';
import { makeFolders } from './make-folders.ts';

/**
 * Reads a text file; undefined when there is none.
 *
 * @throws HostError LAB_STATE_FILE when it is not a regular file, has more than `MAX_TEXT_BYTES`, or may not be read.
 */
export function findText(path: string): string | undefined {
  return findBytes(path, MAX_TEXT_BYTES)?.toString('utf8');
}

/** Reads a text file of our own that must be there. */
export function getText(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Reads a file that must be there, as it is. */
export function readBytes(path: string): Buffer {
  return readFileSync(path);
}

/**
 * SHA-256 of a file that a person named, hexadecimal.
 *
 * @throws UsageError when it cannot be read.
 */
export function digestOfFile(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (error) {
    throw new UsageError(`${path} cannot be read`, { lastSeen: (error as Error).message, cause: error });
  }
}

/**
 * Whether there is a file or folder.
 *
 * @throws HostError LAB_ACCESS when a folder above it may not be entered, so that nobody can say.
 */
export function pathExists(path: string): boolean {
  return findStat(path) !== undefined;
}

/** Whether there is a folder of that name; a file is none. */
export function isFolder(path: string): boolean {
  return findStat(path)?.isDirectory() ?? false;
}

/**
 * Refuses a path that should be a folder and is something else; one that is not there, or may not be read, is not refused.
 *
 * @throws HostError LAB_ACCESS
 */
export function refuseFileAsFolder(path: string): void {
  try {
    opendirSync(path).closeSync();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) throw nameHostFault(error, path);
  }
}

/** Size and time of a file, as a text that changes with its content; undefined when there is none. */
export function findStamp(path: string): string | undefined {
  const stat = findStat(path);
  return stat === undefined ? undefined : `${stat.size} ${stat.mtimeMs}`;
}

/** Makes a folder and those above it; one that is there already is not an error. */
export function ensureFolder(path: string): void {
  makeFolders(path);
}

/**
 * Reads a JSON file; undefined when there is none. The caller validates the shape.
 *
 * @throws HostError LAB_STATE_FILE when the file is not JSON.
 */
export function readJson(path: string): unknown {
  const text = findText(path);
  return text === undefined ? undefined : parseStateJson(path, text);
}

/**
 * Parses what was read from a JSON file.
 *
 * @throws HostError LAB_STATE_FILE when it is not JSON.
 */
export function parseStateJson(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new HostError('LAB_STATE_FILE', `${path} is not valid JSON`, {
      lastSeen: text.trim() === '' ? 'an empty file' : text.slice(0, 80),
      tryNext: 'move the file away and run the command again',
      cause: error,
    });
  }
}

/**
 * Writes a text file so that a reader sees the old or the new content, never a part; makes its folder. `mode` is that
 * of a new file, before the umask.
 *
 * @throws HostError LAB_DISK when the disk takes no more; LAB_ACCESS when it may not be written.
 */
export function writeTextAtomic(path: string, text: string, mode = 0o666): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    makeFolders(dirname(path));
    // Made again: what somebody left under that name, such as a link to another file, is not written through.
    rmSync(temporary, { force: true });
    const file = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw nameHostFault(error, path);
  }
}

/** Writes a text file like `writeTextAtomic` that only its owner may read: keys, kubeconfigs. */
export function writePrivateText(path: string, text: string): void {
  writeTextAtomic(path, text, 0o600);
}

/** Writes a JSON file like `writeTextAtomic`, indented and with a newline at its end. */
export function writeJsonAtomic(path: string, value: unknown): void {
  writeTextAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Appends one line to a file and makes its folder. It is one write, so the lines of two writers never mix.
 *
 * @throws HostError LAB_DISK when the disk takes no more.
 */
export function appendLine(path: string, line: string): void {
  try {
    makeFolders(dirname(path));
    appendFileSync(path, `${line}\n`);
  } catch (error) {
    throw nameHostFault(error, path);
  }
}

/** Reads the lines of a file without their line ends; none when there is no file. */
export function readLines(path: string): string[] {
  const text = findText(path);
  if (text === undefined || text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

/** Names in a folder, sorted; none when there is no such folder. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw nameHostFault(error, path);
  }
}

/** What may be at a path that a person or a file named: no name can be so long, nor have such a letter. */
const NO_NAME = ['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'];

function findStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (NO_NAME.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw nameHostFault(error, path);
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
