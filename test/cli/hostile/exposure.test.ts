import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePrivateText } from '../../../lab/drivers/files/files.ts';
import { PROJECT, runProgram, type Ended } from '../support/run-cli.ts';

/** What these tests need of the host: another user, and a mount of their own. Neither is there without root. */
const isRoot = process.geteuid?.() === 0;
const NOBODY = 65534;

let base: string;
let home: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'whodunit-exposure-'));
  chmodSync(base, 0o755);
  home = join(base, 'home');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Runs a verb in a shell that prepares for it. */
function runIn(prepare: string, words: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const cli = join(PROJECT, 'bin/whodunit.mjs');
  return runProgram('sh', ['-c', `${prepare} exec ${process.execPath} ${cli} ${words}`], {
    npm_lifecycle_event: undefined,
    WHODUNIT_HOME: home,
    WHODUNIT_CACHE: undefined,
    ...env,
  });
}

describe('a shell whose umask takes nothing away', () => {
  it('makes a state folder that nobody else can enter, and nothing that others may write', async () => {
    expect(await runIn('umask 000;', 'gc')).toMatchObject({ status: 0 });
    expect((statSync(home).mode & 0o7777).toString(8)).toBe('700');
    const open = execFileSync('find', [home, '-perm', '/022'], { encoding: 'utf8' });
    expect(open).toBe('');
  });
});

describe.runIf(isRoot)('another user of the host', () => {
  const asNobody = (program: string, ...words: string[]): string => {
    try {
      return execFileSync(program, words, { uid: NOBODY, gid: NOBODY, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return String((error as { stderr?: unknown }).stderr);
    }
  };

  it('sees no run, no kubeconfig and no name of a file', async () => {
    mkdirSync(home);
    cpSync(join(PROJECT, 'test/fixtures/run-from-before'), join(home, 'runs'), { recursive: true });
    writePrivateText(join(home, 'worlds/default/kubeconfig'), 'secret');
    // As an older version left it.
    chmodSync(home, 0o755);
    expect(asNobody('ls', join(home, 'runs'))).not.toContain('denied');
    expect(asNobody('cat', join(home, 'worlds/default/kubeconfig'))).toContain('Permission denied');
    expect(await runIn('', 'gc')).toMatchObject({ status: 0 });
    for (const [program, ...words] of [
      ['ls', home],
      ['ls', join(home, 'runs')],
      ['cat', join(home, 'worlds/default/kubeconfig')],
    ] as const)
      expect(asNobody(program, ...words)).toContain('Permission denied');
  });

  it('owns no folder that we would trust', async () => {
    mkdirSync(home);
    execFileSync('chown', [String(NOBODY), home]);
    const { status, stderr } = await runIn('', 'gc');
    expect(stderr).toContain(`error LAB_STATE_FOLDER: ${home} belongs to user ${NOBODY}, and you are user 0`);
    expect(status).toBe(3);
    expect(readdirSync(home)).toEqual([]);
  });

  it('writes into no cache from which we would start a program', async () => {
    const cache = join(base, 'cache');
    mkdirSync(join(cache, 'components'), { recursive: true });
    chmodSync(join(cache, 'components'), 0o777);
    const { status, stderr } = await runIn('', 'gc', { WHODUNIT_CACHE: cache });
    expect(stderr).toContain('error LAB_STATE_FOLDER');
    expect(stderr).toContain(`try: chmod -R go-w ${join(cache, 'components')};`);
    expect(status).toBe(3);
    expect(existsSync(join(home, 'lab.lock'))).toBe(false);
  });
});

describe.runIf(isRoot)('a state folder on a file system that does not take it', () => {
  /** In a mount namespace of its own, which ends with the verb. */
  const mounted = (mount: string): Promise<Ended> => {
    mkdirSync(home, { mode: 0o700 });
    const cli = join(PROJECT, 'bin/whodunit.mjs');
    return runProgram('unshare', ['-m', 'sh', '-c', `${mount} && exec ${process.execPath} ${cli} gc`], {
      npm_lifecycle_event: undefined,
      WHODUNIT_HOME: home,
      WHODUNIT_CACHE: undefined,
    });
  };

  it.each([
    ['may not be written', (path: string) => `mount -t tmpfs -o ro,mode=700 none ${path}`, 'EROFS'],
    [
      'has no room',
      (path: string) =>
        `mount -t tmpfs -o size=4k,mode=700 none ${path} && dd if=/dev/zero of=${path}/filler bs=4k count=1 2>/dev/null`,
      'ENOSPC',
    ],
    ['has no inodes', (path: string) => `mount -t tmpfs -o nr_inodes=1,mode=700 none ${path}`, 'ENOSPC'],
  ])('because it %s: one error, and nothing is started', async (_, mount, code) => {
    const { status, stdout, stderr } = await mounted(mount(home));
    expect(stderr).toMatch(
      new RegExp(`^error LAB_LOCK: the state folder ${home} cannot be written\\n  last seen: ${code}: `),
    );
    expect(stderr).toContain('WHODUNIT_HOME=<folder>');
    expect(stderr.split('\n')).toHaveLength(4);
    expect(stdout).toBe('');
    expect(status).toBe(3);
  });
});

describe.runIf(isRoot)('a host that has too little of something', () => {
  /** What `whodunit doctor` finds, with a limit set before it. */
  const examine = async (limit: string, name: string): Promise<unknown> => {
    const cli = join(PROJECT, 'bin/whodunit.mjs');
    const script = `${limit} exec ${process.execPath} ${cli} doctor --json`;
    const { stdout } = await runProgram('unshare', ['-m', 'sh', '-c', script], {
      npm_lifecycle_event: undefined,
      WHODUNIT_HOME: home,
      WHODUNIT_CACHE: undefined,
    });
    return (JSON.parse(stdout) as { checks: { name: string }[] }).checks.find((check) => check.name === name);
  };

  it('has too few file handles', async () => {
    expect(await examine('ulimit -n 200;', 'handles')).toMatchObject({
      ok: false,
      found: '200 open files allowed, 256 needed',
    });
  });

  it('has too few inodes, and too little disk', async () => {
    mkdirSync(home);
    const mount = `mount -t tmpfs -o size=16m,nr_inodes=100 none ${home};`;
    expect(await examine(mount, 'inodes')).toMatchObject({
      ok: false,
      found: `99 inodes free at ${home}, 99 inodes free at ${home}/cache; 50000 needed`,
    });
    expect(await examine(mount, 'disk')).toMatchObject({ ok: false });
  });
});
