/**
 * The one mapping from a refused system call to what a person reads. Plain JavaScript: the launcher uses it too, before
 * node modules are there.
 */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { findForeignBelowOurs, findObstacle, isInFolderOf, nameUser } from './find-obstacle.mjs';

/** How the message and the mending line of each error number (errno(3)) are made. */
const FAULTS = {
  EACCES: explainRefusal,
  EPERM: explainRefusal,
  ENOENT: explainMissing,
  ENOTDIR: explainFile,
  EEXIST: explainFile,
  EISDIR: (path) => fault(`${path} is a folder, and a file is needed there`, 'name a file'),
  ELOOP: (path) =>
    fault(`the links on the way to ${path} lead in a circle`, `namei ${word(path)} shows them; remove one`),
  ENAMETOOLONG: (path) =>
    fault(`a path is too long for this file system: ${cut(path)}`, 'name a shorter one (255 bytes a part)'),
  EMFILE: () => fault('this process may not open more files', 'ulimit -n 4096, then the same command again'),
  ENFILE: () => fault('this machine may not open more files', 'sudo sysctl fs.file-max=1000000'),
  ENOSPC: explainFull('the disk is full'),
  EDQUOT: explainFull('the disk quota of this user is used up'),
  EFBIG: (path) =>
    disk(
      `a file may not become so large: ${path} could not be written`,
      'ulimit -f unlimited, then the same command again; or choose another disk',
    ),
  EROFS: (path) =>
    disk(
      `the disk is read-only: ${path} could not be written`,
      `findmnt -T ${word(path)} shows which disk that is; choose another one: ${elsewhere(path)}`,
    ),
  EIO: (path) =>
    disk(
      `the disk cannot read or write ${path}`,
      `read what the kernel says about it (\`sudo dmesg\`), or choose another disk: ${elsewhere(path)}`,
    ),
};

/**
 * @param {unknown} error @param {string} [name] what was asked for, where the error does not say it
 * @returns {import('./host-fault.d.mts').HostFault | undefined}
 */
export function describeHostFault(error, name) {
  if (!(error instanceof Error) || typeof error.syscall !== 'string') return undefined;
  if (!Object.hasOwn(FAULTS, error.code)) return undefined;
  const { syscall, message } = error;
  if (syscall === 'uv_cwd') return explainCwd(message);
  // What a program or a socket answers is not about a file.
  if (/^(connect|listen|bind|getaddrinfo|send|recv)/.test(syscall)) return undefined;
  if (syscall.startsWith('spawn') && error.code === 'ENOENT') return undefined;
  const [path] = [name, error.path, error.dest].filter((known) => typeof known === 'string');
  if (path === undefined && error.code === 'ENOENT') return undefined;
  const { code, text, tryNext, seen } = FAULTS[error.code](path ?? 'a file', error);
  return { code, message: text, lastSeen: [message, seen].filter(Boolean).join('; '), tryNext };
}

function fault(text, tryNext, seen) {
  return { code: 'LAB_ACCESS', text, tryNext, seen };
}

function disk(text, tryNext) {
  return { code: 'LAB_DISK', text, tryNext };
}

function explainFull(what) {
  return (path) =>
    disk(
      `${what}: ${path} could not be written`,
      'free some disk space, as with npx whodunit gc; or use another disk: WHODUNIT_HOME=<folder>',
    );
}

function explainCwd(message) {
  return {
    code: 'LAB_ACCESS',
    message: 'the working directory was removed or may not be read',
    lastSeen: message,
    tryNext: 'cd ~, then the same command again',
  };
}

/** EACCES or EPERM: somebody else owns it, its mode is too narrow, or something beside both refuses. */
function explainRefusal(path, { syscall, dest }) {
  if (isInMadeUpFolder(path) && findObstacle(path, syscall).kind === 'missing') return explainMadeUp(path);
  const places = [path, dest].filter((place) => place !== undefined);
  const found = places.map((place) => findObstacle(place, syscall));
  const obstacle = found.find(({ kind }) => kind !== 'other' && kind !== 'missing') ?? found[0];
  const verb = obstacle.kind === 'read' ? 'read' : obstacle.kind === 'write' ? 'written' : 'changed';
  const text = `${obstacle.path} may not be ${verb}${obstacle.path === path ? '' : `, so ${path} cannot be reached`}`;
  const own = process.geteuid?.() ?? 0;
  const owner = obstacle.stat?.uid;
  if (owner === undefined) return fault(text, `ls -ld ${word(obstacle.path)}`);
  const mode = (obstacle.stat.mode & 0o7777).toString(8).padStart(4, '0');
  const seen = `it belongs to ${nameUser(owner)}, mode ${mode}; you are ${nameUser(own)}`;
  return fault(text, mendAccess(obstacle, own), seen);
}

/** The one line that mends it. */
function mendAccess({ path, kind, stat }, own) {
  const isFolder = stat.isDirectory();
  if (own === 0 || (stat.uid === own && kind === 'other'))
    return `lsattr -d ${word(path)} and findmnt -T ${word(path)} say what refuses it`;
  if (stat.uid === own) return `chmod ${isFolder ? '-R u+rwX' : 'u+rw'} ${word(path)}`;
  return mendOwner(path);
}

/**
 * What gives back to us what a command of root has left among our files. Nobody should take over a folder of the system,
 * so elsewhere the line names another folder.
 *
 * @param {string} path @returns {string}
 */
export function mendOwner(path) {
  const left = findForeignBelowOurs(path);
  return left === undefined
    ? `name a place of your own: ${elsewhere(path)}`
    : `sudo chown -R "$USER" ${word(left)}`;
}

function explainMissing(path, { syscall, dest }) {
  const found = [path, dest]
    .filter((place) => place !== undefined)
    .map((place) => findObstacle(place, syscall));
  const missing = found.find(({ kind }) => kind === 'missing') ?? found[0];
  if (missing.path === resolve(path) && isInMadeUpFolder(path)) return explainMadeUp(path);
  if (missing.path === resolve(path))
    return fault(`${path} is not there`, 'somebody has just removed it: the same command again');
  return fault(
    `the folder ${missing.path} does not exist, so ${path} cannot be used`,
    `mkdir -p ${word(resolve(path, '..'))}`,
  );
}

/** Whether a path is below a folder whose files the kernel makes up: it says that a name is not there, whatever is asked. */
function isInMadeUpFolder(path) {
  return /^\/(proc|sys|dev)\//.test(resolve(path));
}

function explainMadeUp(path) {
  return fault(
    `nothing can be made in ${dirname(resolve(path))}: its files are not on a disk`,
    `name a place of your own: ${elsewhere(path)}`,
  );
}

function explainFile(path, { syscall }) {
  const { path: place } = findObstacle(path, syscall);
  return fault(`${place} is a file, and a folder is needed there`, `name a folder: ${elsewhere(place)}`);
}

/** How another place is named. */
function elsewhere(path) {
  const variable = ['WHODUNIT_CACHE', 'WHODUNIT_HOME'].find((name) => isInFolderOf(name, path));
  if (variable !== undefined) return `${variable}=<folder>`;
  return /\/\.(?:lab|whodunit)(?:\/|$)/.test(path) ? 'WHODUNIT_HOME=<folder>' : 'another path';
}

/** A path as it is typed: quoted where a shell would take it apart, relative below the working directory. */
function word(path) {
  const text = spell(path);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function spell(path) {
  if (!isAbsolute(path)) return path;
  try {
    const below = relative(process.cwd(), path);
    return below === '' || below.startsWith('..') ? path : below;
  } catch {
    return path; // the working directory is gone
  }
}

function cut(path) {
  return path.length <= 120 ? path : `${path.slice(0, 120)}…`;
}
