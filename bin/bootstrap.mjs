/**
 * Makes sure that the node modules are those of package-lock.json before anything of them is imported. Node built-ins
 * only: this runs on a fresh clone.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findOpenFilesLimit } from '../lab/drivers/host/open-files.mjs';
import { LAUNCH_EXIT_CODES } from './launch-error.mjs';

const OLDEST_NODE = 20;
const LOCK_WAIT_SECONDS = 10 * 60;
/** Node opens some 50 files at a time while it reads the program (seen with Node 20). */
const FEWEST_OPEN_FILES = 128;

/** An error with the exit code that it means; printed without a stack. */
export class BootstrapError extends Error {
  /**
   * @param {string} code
   * @param {string} text
   * @param {{ tryNext?: string, lastSeen?: string, exitCode?: number }} [details]
   */
  constructor(code, text, { tryNext, lastSeen, exitCode = LAUNCH_EXIT_CODES.host } = {}) {
    const seen = lastSeen === undefined ? '' : `\n  last seen: ${lastSeen}`;
    super(`error ${code}: ${text}${seen}${tryNext === undefined ? '' : `\n  try: ${tryNext}`}`);
    Object.assign(this, { code, text, tryNext, lastSeen, exitCode });
  }
}

/**
 * Refuses a process that may not open enough files. While Node looks for packages it takes a file that it may not open
 * for one that is not there, so whatever it says then is wrong.
 */
export function ensureOpenFiles() {
  const most = findOpenFilesLimit();
  if (most >= FEWEST_OPEN_FILES) return;
  throw new BootstrapError('LAB_ACCESS', `this process may not open more files than ${most}`, {
    tryNext: 'ulimit -n 4096, then the same command again',
  });
}

/**
 * Checks Node, then installs the node modules when they are missing or are not those of package-lock.json. A packed
 * whodunit has no package-lock.json: npm has installed its node modules with it.
 *
 * @param {string} projectDir
 * @param {NodeJS.ProcessEnv} env
 */
export async function ensureNodeModules(projectDir, env = process.env) {
  const version = process.versions.node;
  if (Number(version.split('.')[0]) < OLDEST_NODE) {
    const text = `Node ${version} is too old, ${OLDEST_NODE} or newer is needed`;
    throw new BootstrapError('LAB_NODEJS', text, { tryNext: 'https://nodejs.org/en/download' });
  }
  if (!existsSync(join(projectDir, 'package-lock.json')) || areModulesInstalled(projectDir)) return;
  const lock = await lockInstall(join(projectDir, '.lab', 'install.lock'));
  try {
    if (!areModulesInstalled(projectDir)) await install(projectDir, env, lock);
  } finally {
    closeSync(lock);
  }
}

/**
 * Whether node_modules holds what package-lock.json names. The stamp makes this one small read; without it (npm ci
 * was run by hand) npm's own record of what it installed is compared, and the stamp is written.
 *
 * @param {string} projectDir
 */
export function areModulesInstalled(projectDir) {
  const modules = join(projectDir, 'node_modules');
  const lockText = readFileSync(join(projectDir, 'package-lock.json'));
  const digest = createHash('sha256').update(lockText).digest('hex');
  const stamp = join(modules, '.whodunit-stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === digest) return true;
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(lockText.toString()).packages ?? {};
  const present = JSON.parse(readFileSync(record, 'utf8')).packages ?? {};
  const isSame = Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    // Packages for other systems are in the lock file but never installed.
    if (present[path] === undefined) return entry.optional === true || entry.devOptional === true;
    return present[path].version === entry.version;
  });
  if (isSame) tryWrite(stamp, digest);
  return isSame;
}

/** @param {string} projectDir @param {NodeJS.ProcessEnv} env @param {number} lock */
async function install(projectDir, env, lock) {
  process.stderr.write('→ npm ci: installing node modules, once\n');
  const startedAt = Date.now();
  // --include=dev: NODE_ENV=production would leave out what `npm test` needs, and each start would install again.
  const child = spawn('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: projectDir,
    env: withoutNpmSettings(env),
    // npm holds the lock for as long as it runs, even when we are killed.
    stdio: ['ignore', 2, 2, lock],
  });
  const [status, signal] = await endOf(child).catch((error) => {
    throw new BootstrapError('LAB_BOOTSTRAP', `npm could not be started: ${error.message}`);
  });
  if (status !== 0) {
    const end = signal === null ? `exited with ${status}` : `was killed by ${signal}`;
    const line = `cd ${projectDir} && npm ci`;
    throw new BootstrapError('LAB_BOOTSTRAP', `npm ci ${end}`, {
      tryNext: line,
      exitCode: LAUNCH_EXIT_CODES[signal === 'SIGINT' ? 'interrupted' : 'host'],
    });
  }
  if (!areModulesInstalled(projectDir)) {
    const text = 'npm ci ended well, but node_modules is not what package-lock.json names';
    throw new BootstrapError('LAB_BOOTSTRAP', text, { tryNext: 'rm -r node_modules && npm ci' });
  }
  process.stderr.write(`✓ npm ci (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`);
}

/** Flags of the npm that started us (--json, --dry-run, --silent) must not reach the npm that we start. */
function withoutNpmSettings(env) {
  const own = /^npm_config_(json|dry_run|loglevel|omit|include|all|ignore_scripts)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

/**
 * Takes a lock that two labs cannot hold together: flock(2) of a file, which the kernel frees when the last process ends
 * that has it open. That is npm, where its lab was killed: nobody installs beside it. The file stays, because a lock on a
 * removed file excludes nobody. Node has no flock, so flock(1) of util-linux takes it on our open file.
 *
 * @param {string} path
 * @returns {Promise<number>} the open file, which whoever works under the lock inherits.
 */
export async function lockInstall(path) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, 'a+', 0o600);
  let status = await flock(file, '--nonblock');
  if (status !== 0) {
    const holder = readFileSync(path, 'utf8').trim();
    process.stderr.write(`waiting for another lab (process ${holder}), which installs the node modules\n`);
    status = await flock(file, '--timeout', String(LOCK_WAIT_SECONDS));
  }
  if (status !== 0) {
    const holder = readFileSync(path, 'utf8').trim();
    const text = `another lab (process ${holder}) has been installing for 10 minutes`;
    throw new BootstrapError('LAB_BOOTSTRAP', text, { tryNext: 'wait for it, or end it' });
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid}\n`);
  return file;
}

/**
 * @param {number} file that is open.
 * @param {...string} how
 * @returns {Promise<number>} 0: it has the lock.
 */
async function flock(file, ...how) {
  const child = spawn('flock', ['--exclusive', ...how, '3'], { stdio: ['ignore', 2, 2, file] });
  const [status] = await endOf(child).catch((error) => {
    throw new BootstrapError('LAB_BOOTSTRAP', `flock(1) could not be started: ${error.message}`, {
      tryNext: 'install util-linux, or run npm ci yourself',
    });
  });
  return status;
}

/** @param {import('node:child_process').ChildProcess} child */
function endOf(child) {
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (...end) => done(end));
  });
}

/** The stamp only saves time: a folder of somebody else that cannot be written is not a problem. */
function tryWrite(path, text) {
  try {
    writeFileSync(path, `${text}\n`);
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error;
  }
}
