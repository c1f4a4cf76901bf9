import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT, runProgram, type Ended } from './support/run-cli.ts';

let folder: string;

/** An npm that installs what the lock file names by writing npm's own record of it, slowly, and counts its calls. */
const NPM_INSTALLS = `#!/bin/sh
echo "$@" >> npm-calls
sleep 0.5
mkdir -p node_modules
cp package-lock.json node_modules/.package-lock.json
`;
const NPM_FAILS = '#!/bin/sh\necho "npm error network" >&2\nexit 7\n';
const NPM_LIES = '#!/bin/sh\nexit 0\n';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-bootstrap-'));
  mkdirSync(join(folder, 'bin'));
  writeLock('1.0.0');
  fakeNpm(NPM_INSTALLS);
});
afterEach(async () => {
  const lock = join(folder, '.lab/install.lock');
  const left = existsSync(lock) ? await runProgram('flock', ['--nonblock', lock, 'true']) : { status: 0 };
  rmSync(folder, { recursive: true });
  // Nobody holds it any more.
  expect(left.status).toBe(0);
});

function writeLock(version: string): void {
  const packages = {
    '': {},
    'node_modules/zod': { version },
    'node_modules/for-another-system': { version: '1.0.0', optional: true },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

function fakeNpm(script: string): void {
  writeFileSync(join(folder, 'bin/npm'), script);
  chmodSync(join(folder, 'bin/npm'), 0o755);
}

const installer = (): string[] => [
  '--input-type=module',
  '--eval',
  `import { ensureNodeModules } from ${JSON.stringify(join(PROJECT, 'bin/bootstrap.mjs'))};
  await ensureNodeModules(${JSON.stringify(folder)}).catch((error) => {
    console.error(error.message);
    process.exitCode = error.exitCode ?? 70;
  });`,
];
const withFakeNpm = (): NodeJS.ProcessEnv => ({
  PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
});

function bootstrap(): Promise<Ended> {
  return runProgram(process.execPath, installer(), withFakeNpm());
}

function startInstaller(): ChildProcess {
  return spawn(process.execPath, installer(), { env: { ...process.env, ...withFakeNpm() }, stdio: 'ignore' });
}

async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

function countCalls(): number {
  const calls = join(folder, 'npm-calls');
  // A shell makes the file before it writes the line.
  return existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0;
}

describe('the bootstrap', () => {
  it('installs node modules once, from the lock file, dev tools included', async () => {
    const first = await bootstrap();
    expect(first).toMatchObject({ status: 0, stdout: '' });
    expect(first.stderr).toContain('npm ci');
    expect(await bootstrap()).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(folder, 'npm-calls'), 'utf8')).toMatch(/^ci --include=dev/);
    expect(countCalls()).toBe(1);
  });

  it('installs again when the lock file changed', async () => {
    await bootstrap();
    writeLock('2.0.0');
    await bootstrap();
    expect(countCalls()).toBe(2);
  });

  it('accepts modules that were installed by hand', async () => {
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'node_modules/.package-lock.json'),
      readFileSync(join(folder, 'package-lock.json')),
    );
    expect((await bootstrap()).status).toBe(0);
    expect(countCalls()).toBe(0);
  });

  it('installs once when two labs start together', async () => {
    const ends = await Promise.all([bootstrap(), bootstrap()]);
    expect(ends.map((end) => end.status)).toEqual([0, 0]);
    expect(countCalls()).toBe(1);
  });

  it('waits for the npm of an installer that was killed, and uses what it installed', async () => {
    const killed = startInstaller();
    await waitUntil(() => countCalls() === 1);
    killed.kill('SIGKILL');
    expect((await bootstrap()).status).toBe(0);
    expect(countCalls()).toBe(1);
  });

  it('installs after an installer that was killed together with its npm', async () => {
    fakeNpm('#!/bin/sh\necho "$$" > npm-pid\necho call >> npm-calls\nexec sleep 600\n');
    const killed = startInstaller();
    await waitUntil(() => countCalls() === 1);
    killed.kill('SIGKILL');
    process.kill(Number(readFileSync(join(folder, 'npm-pid'), 'utf8')), 'SIGKILL');
    fakeNpm(NPM_INSTALLS);
    expect((await bootstrap()).status).toBe(0);
    expect(countCalls()).toBe(2);
  });

  it('shows what npm said and exits 3 when npm fails', async () => {
    fakeNpm(NPM_FAILS);
    const end = await bootstrap();
    expect(end.stderr).toContain('npm error network');
    expect(end.stderr).toContain('error LAB_BOOTSTRAP: npm ci exited with 7');
    expect(end.status).toBe(3);
  });

  it('does not believe an npm that installed nothing', async () => {
    fakeNpm(NPM_LIES);
    const end = await bootstrap();
    expect(end.stderr).toContain('node_modules is not what package-lock.json names');
    expect(end.status).toBe(3);
  });
});

/** Takes the lock, says so, works a moment, says so, and gives it back. */
const RACER = `
  import { appendFileSync, closeSync } from 'node:fs';
  import { setTimeout as pause } from 'node:timers/promises';
  import { lockInstall } from ${JSON.stringify(join(PROJECT, 'bin/bootstrap.mjs'))};
  const [path, log] = process.argv.slice(1);
  const lock = await lockInstall(path);
  appendFileSync(log, 'enter ' + process.pid + '\\n');
  await pause(Math.random() * 10);
  appendFileSync(log, 'leave ' + process.pid + '\\n');
  closeSync(lock);`;

/** Takes the lock, says so, and keeps it until nobody writes to it any more. */
const HOLDER = `
  import { lockInstall } from ${JSON.stringify(join(PROJECT, 'bin/bootstrap.mjs'))};
  await lockInstall(process.argv[1]);
  process.stdout.write('held');
  process.stdin.resume();`;

describe('the lock of the bootstrap', () => {
  it('says for whom it waits', async () => {
    const path = join(folder, '.lab/install.lock');
    const start = (script: string): ChildProcessByStdio<Writable, Readable, Readable> =>
      spawn(process.execPath, ['--input-type=module', '--eval', script, path, join(folder, 'log')], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    const holder = start(HOLDER);
    await once(holder.stdout, 'data');
    const waiter = start(RACER);
    const ended = new Promise((done) => waiter.once('close', done));
    const [said] = (await once(waiter.stderr, 'data')) as [Buffer];
    holder.stdin.end();
    expect(said.toString()).toBe(
      `waiting for another lab (process ${holder.pid}), which installs the node modules\n`,
    );
    expect(await ended).toBe(0);
  });

  it.each([[1], [2], [3]])('has one holder at a time, some of whom are killed: round %i', async () => {
    const log = join(folder, 'log');
    appendFileSync(log, '');
    const racers = Array.from({ length: 20 }, () =>
      spawn(
        process.execPath,
        ['--input-type=module', '--eval', RACER, join(folder, '.lab/install.lock'), log],
        { stdio: 'ignore' },
      ),
    );
    const ended = Promise.all(racers.map((racer) => new Promise((done) => racer.once('close', done))));
    // One in five is killed while it holds the lock, or after it has said that it gives it back.
    const killer = setInterval(() => {
      const holder = /enter (\d+)\n$/.exec(readFileSync(log, 'utf8'))?.[1];
      if (holder !== undefined && Number(holder) % 5 === 0)
        racers.find(({ pid }) => pid === Number(holder))?.kill('SIGKILL');
    }, 1);
    await ended;
    clearInterval(killer);
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    let holder: string | undefined;
    for (const line of lines) {
      const [what, pid] = line.split(' ');
      if (what === 'leave') expect(pid).toBe(holder);
      // Whoever did not leave was killed: the kernel gave its lock to the next one.
      else if (holder !== undefined)
        expect(racers.find((racer) => racer.pid === Number(holder))?.signalCode).toBe('SIGKILL');
      holder = what === 'enter' ? pid : undefined;
    }
    expect(lines.filter((line) => line.startsWith('enter'))).toHaveLength(20);
  });
});
