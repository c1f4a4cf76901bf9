import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
afterEach(() => {
  const isLocked = existsSync(join(folder, '.lab/bootstrap.lock'));
  rmSync(folder, { recursive: true });
  expect(isLocked).toBe(false);
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

function bootstrap(): Promise<Ended> {
  const code = `
    import { ensureNodeModules } from ${JSON.stringify(join(PROJECT, 'bin/bootstrap.mjs'))};
    await ensureNodeModules(${JSON.stringify(folder)}).catch((error) => {
      console.error(error.message);
      process.exitCode = error.exitCode ?? 70;
    });`;
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` };
  return runProgram(process.execPath, ['--input-type=module', '--eval', code], env);
}

function countCalls(): number {
  const calls = join(folder, 'npm-calls');
  return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0;
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

  it('takes over the lock of an installer that died', async () => {
    const dead = await runProgram(process.execPath, ['--eval', 'console.log(process.pid)']);
    mkdirSync(join(folder, '.lab/bootstrap.lock'), { recursive: true });
    writeFileSync(join(folder, '.lab/bootstrap.lock/pid'), dead.stdout.trim());
    expect((await bootstrap()).status).toBe(0);
    expect(countCalls()).toBe(1);
  });

  it('takes over the lock of an installer whose number a later process has', async () => {
    const holder = join(folder, '.lab/bootstrap.lock/pid');
    mkdirSync(join(folder, '.lab/bootstrap.lock'), { recursive: true });
    writeFileSync(holder, String(process.pid));
    utimesSync(holder, 1, 1);
    expect((await bootstrap()).status).toBe(0);
    expect(countCalls()).toBe(1);
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
