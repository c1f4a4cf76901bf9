import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { HostError } from '../../model/errors/errors.ts';

/** stat(2) counts blocks of 512 bytes, whatever the file system uses. */
const BLOCK_BYTES = 512;

/**
 * Returns the disk that a file or folder takes (holes do not count), in bytes; 0 when there is none. What may not be
 * looked into counts as empty, as du(1) has it.
 */
export function measureDiskBytes(path: string): number {
  let own = 0;
  try {
    const stat = lstatSync(path);
    own = stat.blocks * BLOCK_BYTES;
    if (!stat.isDirectory()) return own;
    return readdirSync(path).reduce((total, name) => total + measureDiskBytes(join(path, name)), own);
  } catch {
    return own; // gone, or on the way to be, or of somebody else
  }
}

/** When something was last changed, in milliseconds since the epoch; undefined when it is not there. */
export function findModifiedAt(path: string): number | undefined {
  return existsSync(path) ? statSync(path).mtimeMs : undefined;
}

/**
 * Whether it is certain that there is nothing of this name. It is not where somebody may not look, and not below a link
 * that leads nowhere, which may be a disk that is not mounted.
 */
export function isGone(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
    const above = findFirstAbove(path);
    return statSync(above, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // EACCES, ELOOP: nobody can say
  }
}

/** The nearest folder above a path of which there is something, a link that leads nowhere too. */
function findFirstAbove(path: string): string {
  const above = dirname(path);
  return lstatSync(above, { throwIfNoEntry: false }) === undefined ? findFirstAbove(above) : above;
}

/** Whether a name is that of a symbolic link, wherever it leads. */
export function isSymbolicLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false; // no name at all: too long, or below a file
  }
}

/** Everything below a folder, absolute; nothing when there is no such folder. Links are not followed. */
export function listBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  const below = readdirSync(path, { recursive: true, withFileTypes: true });
  return below.map(({ parentPath, name }) => join(parentPath, name));
}

/**
 * Removes a file or folder that is below a root, with all it holds. One that is gone already is not an error.
 *
 * @throws HostError LAB_NOT_OURS when it is elsewhere, also by a symbolic link, or when something is mounted in it.
 */
export function removeBelow(root: string, path: string): void {
  refuseElsewhere(root, path);
  rmSync(path, { recursive: true, force: true });
}

/** Throws HostError LAB_NOT_OURS for what `removeBelow` does not remove. */
export function refuseElsewhere(root: string, path: string): void {
  if (!isBelow(root, path)) {
    throw new HostError('LAB_NOT_OURS', `${path} is not below ${root}: not removed`, {
      tryNext: 'look at it and remove it by hand if it is no longer needed',
    });
  }
  const mounted = findMounts(path);
  if (mounted.length > 0) {
    throw new HostError('LAB_NOT_OURS', `something is mounted in ${path}: not removed`, {
      lastSeen: mounted.join(', '),
      tryNext: `umount ${mounted.at(-1) ?? path}`,
    });
  }
}

/** Whether a path is below a root (and is not the root itself) once all links in its parents are followed. */
function isBelow(root: string, path: string): boolean {
  const realRoot = followLinks(resolve(root));
  const whole = resolve(path);
  return join(followLinks(dirname(whole)), whole.slice(dirname(whole).length)).startsWith(realRoot + sep);
}

function followLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(followLinks(parent), path.slice(parent.length));
}

/** Mount points at or below a path (proc(5), mountinfo: field 5, blanks written as octal). */
function findMounts(path: string): string[] {
  const whole = followLinks(resolve(path));
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replaceAll(/\\(\d{3})/g, (_, octal: string) => octalLetter(octal)),
    )
    .filter((point) => point === whole || point.startsWith(whole + sep));
}

function octalLetter(octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8));
}
