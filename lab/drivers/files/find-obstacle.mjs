/** Which part of a path is in the way. Plain JavaScript: the launcher asks too, before node modules are there. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

/** System calls that change the folder in which a name is, and not what has the name. */
const CHANGES_FOLDER = ['mkdir', 'mkdtemp', 'rename', 'unlink', 'rmdir', 'link', 'symlink', 'rm'];

/**
 * @param {string} path @param {string | undefined} syscall
 * @returns {import('./find-obstacle.d.mts').Obstacle}
 */
export function findObstacle(path, syscall) {
  const parts = resolve(path).split(sep).slice(1);
  const prefixes = ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
  for (const folder of prefixes.slice(0, -1)) {
    const stat = findStat(folder);
    if (stat === undefined) return { kind: 'missing', path: folder };
    if (!stat.isDirectory()) return { kind: 'file', path: folder, stat };
    if (!mayAccess(folder, constants.X_OK)) return { kind: 'read', path: folder, stat };
  }
  const whole = prefixes.at(-1) ?? '/';
  const parent = dirname(whole);
  const stat = findStat(whole);
  const needsFolder = stat === undefined || CHANGES_FOLDER.includes(syscall ?? '');
  if (needsFolder && !mayAccess(parent, constants.W_OK))
    return { kind: 'write', path: parent, stat: findStat(parent) };
  if (stat === undefined) return { kind: 'missing', path: whole };
  const isFolder = stat.isDirectory();
  if (isFolder && !mayAccess(whole, constants.R_OK | constants.X_OK))
    return { kind: 'read', path: whole, stat };
  if (!mayAccess(whole, constants.R_OK)) return { kind: 'read', path: whole, stat };
  return { kind: mayAccess(whole, constants.W_OK) ? 'other' : 'write', path: whole, stat };
}

/**
 * The outermost folder on the way to a path that belongs to somebody else although its parent is ours: what a command
 * of root has left among our files.
 *
 * @param {string} path @returns {string | undefined}
 */
export function findForeignBelowOurs(path) {
  const own = process.geteuid?.();
  let found;
  for (let inner = resolve(path); inner !== '/'; inner = dirname(inner)) {
    const isOurs = findStat(inner)?.uid === own;
    if (!isOurs && findStat(dirname(inner))?.uid === own) found = inner;
  }
  return found;
}

/** @param {number} uid @returns {string} `root (uid 0)`, and `uid 1234` where nobody has that id. */
export function nameUser(uid) {
  let lines = '';
  try {
    lines = readFileSync('/etc/passwd', 'utf8');
  } catch {
    // a host without that file has no names
  }
  const row = lines.split('\n').find((line) => line.split(':')[2] === String(uid));
  return row === undefined ? `uid ${uid}` : `${row.split(':')[0]} (uid ${uid})`;
}

function findStat(path) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a folder above it is in the way, which is found first
  }
}

function mayAccess(path, mode) {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name of a variable @param {string} path */
export function isInFolderOf(name, path) {
  const folder = process.env[name];
  if (folder === undefined || folder === '') return false;
  const whole = resolve(folder);
  const wanted = resolve(path);
  return wanted === whole || wanted.startsWith(join(whole, sep)) || whole.startsWith(join(wanted, sep));
}
