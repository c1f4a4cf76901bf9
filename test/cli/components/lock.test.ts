import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lab/drivers/clock.ts';
import { acquireLock } from '../../../lab/drivers/claims/lock.ts';
import { statePaths } from '../../../lab/model/host/paths.ts';
import { PROJECT, runCli } from '../support/run-cli.ts';

let home: string;
let lockPath: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-lock-'));
  lockPath = statePaths(home).lock;
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

describe('two labs on one state folder', () => {
  it('lets the second one wait, says for whom, and lets it in when the first is done', async () => {
    const lock = await acquireLock(lockPath, systemClock, 'whodunit run oom-single-container');
    const child = execFile(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), 'gc'], {
      env: { ...process.env, WHODUNIT_HOME: home, WHODUNIT_CACHE: undefined },
    });
    let told = '';
    await new Promise<void>((resolve) =>
      child.stderr?.on('data', (text: string) => {
        told += text;
        if (told.includes('\n')) resolve();
      }),
    );
    expect(told).toContain(`waiting for process ${process.pid} (whodunit run oom-single-container, since`);
    const status = new Promise((resolve) => child.once('exit', resolve));
    lock.release();
    expect(await status).toBe(0);
    expect(existsSync(lockPath)).toBe(false);
  });

  it('stops the second one that will not wait with the pid and command of the first', async () => {
    const lock = await acquireLock(lockPath, systemClock, 'whodunit run oom-single-container');
    const second = await runCli(home, ['gc', '--no-wait']);
    expect(second.status).toBe(3);
    expect(second.stderr).toContain('error LAB_BUSY');
    expect(second.stderr).toContain(`process ${process.pid} (whodunit run oom-single-container, since`);
    expect(second.stderr).toContain('WHODUNIT_HOME=');
    lock.release();
    expect((await runCli(home, ['gc'])).status).toBe(0);
    expect(existsSync(lockPath)).toBe(false);
  });

  it('lets verbs that only read in', async () => {
    const lock = await acquireLock(lockPath, systemClock, 'whodunit run');
    expect((await runCli(home, ['gc', '--dry-run'])).status).toBe(0);
    expect((await runCli(home, ['list'])).status).toBe(0);
    lock.release();
  });

  it('takes over from a lab that was killed', async () => {
    const dead = {
      pid: process.pid,
      startTicks: '1',
      command: 'whodunit up',
      at: '2026-01-01T00:00:00Z',
      token: 'x',
    };
    mkdirSync(home, { recursive: true });
    writeFileSync(lockPath, JSON.stringify(dead));
    expect((await runCli(home, ['gc'])).status).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0)('says that a full disk cannot even hold the lock', async () => {
    const full = join(home, 'full');
    mkdirSync(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'whodunit-test', full]);
    try {
      execFileSync('sh', ['-c', 'cat /dev/zero > "$0/fill" 2>/dev/null || true', full]);
      const ended = await runCli(full, ['gc']);
      expect(ended.status).toBe(3);
      expect(ended.stderr).toContain('error LAB_LOCK');
      expect(ended.stderr).toContain('no space left');
    } finally {
      execFileSync('umount', [full]);
    }
  });
});
