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
import { basename, dirname, join, relative } from 'node:path';
import { createWaitFor, systemClock } from '../../lab/drivers/clock.ts';
import { tarCompanions } from '../../lab/model/host/paths.ts';
import type { CacheAnswer } from '../../lab/model/saved/cache.ts';
import {
  CACHE,
  createTestLab,
  environmentOfHost,
  hostCommand,
  PROJECT,
  type Finished,
} from './lab-process.ts';

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

/** What a user's cache has from the start. */
type Given =
  /** What the default variant is made of, as far as it is there. */
  | 'image'
  /** Programs only: the user makes root file systems and images, each time. */
  | 'programs';

const PROGRAMS = ['components', 'toolchains', 'providers'];

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
  try {
    await fillHome(home, given);
    await must('chown', ['--recursive', '--no-dereference', `${name}:${name}`, home]);
  } catch (error) {
    await removeUser(name);
    throw error;
  }
  const uid = Number((await must('id', ['-u', name])).stdout);
  const project = join(home, 'project');
  const cache = join(home, 'cache');
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

async function fillHome(home: string, given: Given): Promise<void> {
  cpSync(PROJECT, join(home, 'project'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !NOT_COPIED.includes(source),
  });
  mkdirSync(join(home, 'tmp'));
  const programs = PROGRAMS.map((part) => join(CACHE, part));
  await fillCache(
    join(home, 'cache'),
    given === 'image' ? [...programs, ...(await findImageParts())] : programs,
  );
}

/** Copies entries of the tests' cache that are there, and leaves the holes of an image as they are. */
async function fillCache(cache: string, entries: readonly string[]): Promise<void> {
  for (const entry of entries.filter((path) => existsSync(path))) {
    const target = join(cache, relative(CACHE, entry));
    mkdirSync(dirname(target), { recursive: true });
    await must('cp', ['--archive', '--sparse=always', '--reflink=auto', entry, target]);
  }
}

/** Returns the paths of what the default variant's image is made of, and of the image, as far as they are there. */
async function findImageParts(): Promise<string[]> {
  const lab = createTestLab();
  try {
    const { stdout } = await lab.run('cache', 'why', 'image', '--json');
    const { answers } = JSON.parse(stdout) as { answers: CacheAnswer[] };
    return answers.flatMap(({ hit, why: path }) =>
      hit ? [path, ...Object.values(tarCompanions(path))] : [],
    );
  } finally {
    lab.remove();
  }
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
