import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createWaitFor, systemClock } from '../../lab/drivers/clock.ts';
import { CACHE, environmentOfHost, hostCommand, PROJECT, type Finished } from './lab-process.ts';

/** A normal user made for a test, with a copy of the project in a home that nobody else can read. */
export interface TestUser {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  /** The user's own copy of the project. */
  readonly project: string;
  /** The user's own cache. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program as this user; the status is returned, never thrown. */
  run(program: string, args: readonly string[]): Promise<Finished>;
  /** Ends the user's processes, then removes the user and the home. */
  remove(): Promise<void>;
}

const NOT_COPIED = ['.git', '.lab'].map((name) => join(PROJECT, name));
const PROCESS_END_MS = 30_000;
/** What a normal user has copied, from one test run to the next. */
const LASTING_CACHE = `${CACHE}-rootless`;

/** What a user's cache has from the start. */
type Given =
  /** All that was built before; it is kept from one test run to the next. */
  | 'images'
  /** Programs only: the user makes root file systems and images, each time. */
  | 'programs';

const PROGRAMS = ['components', 'toolchains', 'providers'];
const CACHED: Readonly<Record<Given, readonly string[]>> = {
  images: [...PROGRAMS, 'rootfs', 'images', 'stores'],
  programs: PROGRAMS,
};

/** Makes the user anew, as root; one of that name that a dead test left behind is removed first. */
export async function createTestUser(name: string, given: Given): Promise<TestUser> {
  if ((await hostCommand('id', ['-u', name])).status === 0) await removeUser(name);
  const home = mkdtempSync(join(tmpdir(), 'whodunit-home-'));
  // As the doctor would advise: without this group a host with KVM would emulate.
  const groups = /^kvm:/m.test(readFileSync('/etc/group', 'utf8')) ? ['--groups', 'kvm'] : [];
  await must('useradd', [
    '--home-dir',
    home,
    '--no-create-home',
    '--user-group',
    '--shell',
    '/bin/sh',
    ...groups,
    name,
  ]);
  const uid = Number((await must('id', ['-u', name])).stdout);
  const project = join(home, 'project');
  cpSync(PROJECT, project, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !NOT_COPIED.includes(source),
  });
  mkdirSync(join(home, 'tmp'));
  const cache = given === 'images' ? await prepareLastingCache(home) : join(home, 'own-cache');
  fillCache(cache, CACHED[given]);
  for (const folder of [home, cache])
    await must('chown', ['--recursive', '--no-dereference', `${name}:${name}`, folder]);
  const env = {
    ...environmentOfHost(),
    HOME: home,
    USER: name,
    LOGNAME: name,
    TMPDIR: join(home, 'tmp'),
    WHODUNIT_CACHE: cache,
  };
  return {
    name,
    uid,
    home,
    project,
    cache,
    env,
    run: (program, args) =>
      hostCommand('runuser', ['-u', name, '--', program, ...args], { env, cwd: project }),
    remove: () => removeUser(name),
  };
}

/** Command lines of all processes of a user, by process id. Zombies have none and are left out. */
export function findProcessesOf(uid: number): Map<number, string> {
  const found = new Map<number, string>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (statSync(`/proc/${pid}`).uid !== uid) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (command !== '') found.set(Number(pid), command);
    } catch {
      // it ended meanwhile
    }
  }
  return found;
}

/**
 * Returns the cache that lasts. Where its folder is closed to normal users it is moved into the home, and back when the
 * user is removed.
 */
async function prepareLastingCache(home: string): Promise<string> {
  const cache = isOpenToAll(dirname(LASTING_CACHE)) ? LASTING_CACHE : cacheIn(home);
  if (cache !== LASTING_CACHE && existsSync(LASTING_CACHE)) await must('mv', [LASTING_CACHE, cache]);
  return cache;
}

/** Copies what is built already and not there yet. */
function fillCache(cache: string, parts: readonly string[]): void {
  mkdirSync(cache, { recursive: true });
  for (const part of parts) {
    const source = join(CACHE, part);
    if (!existsSync(source)) continue;
    for (const entry of readdirSync(source).filter((name) => !name.startsWith('.'))) {
      const target = join(cache, part, entry);
      if (!existsSync(target))
        cpSync(join(source, entry), target, { recursive: true, verbatimSymlinks: true });
    }
  }
}

function cacheIn(home: string): string {
  return join(home, 'cache');
}

function isOpenToAll(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const parents = folder === dirname(folder) ? true : isOpenToAll(dirname(folder));
  return parents && (statSync(folder).mode & 0o001) !== 0;
}

async function removeUser(name: string): Promise<void> {
  const [, , uid, , , home = ''] = (await must('getent', ['passwd', name])).stdout.trim().split(':');
  const controller = new AbortController();
  await createWaitFor(systemClock)(
    {
      title: `the processes of ${name} to end`,
      look: async () => {
        const left = findProcessesOf(Number(uid));
        for (const pid of left.keys()) endProcess(pid);
        const seen = [...left.values()].join('\n');
        return left.size === 0 ? { done: true, value: true } : { done: false, seen };
      },
    },
    { timeoutMs: PROCESS_END_MS, intervalMs: 100, signal: controller.signal },
  );
  await must('userdel', [name]);
  if (!basename(home).startsWith('whodunit-home-')) return;
  if (existsSync(cacheIn(home)) && !existsSync(LASTING_CACHE))
    await must('mv', [cacheIn(home), LASTING_CACHE]);
  rmSync(home, { recursive: true, force: true });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself
  }
}

async function must(program: string, args: readonly string[]): Promise<Finished> {
  const result = await hostCommand(program, args);
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${result.stderr}`);
  return result;
}
