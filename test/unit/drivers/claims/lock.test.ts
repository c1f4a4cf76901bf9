import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import {
  acquireLock,
  awaitLock,
  describeHolder,
  findLockHolder,
} from '../../../../lab/drivers/claims/lock.ts';
import { PROJECT } from '../../project-files.ts';

let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-lock-'));
  path = join(home, 'lab.lock');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const acquire = (command = 'whodunit run') => acquireLock(path, systemClock, command);

describe('the lock of a state folder', () => {
  it('says who holds it, and nothing is left after its release', async () => {
    const lock = await acquire();
    expect(findLockHolder(path)).toMatchObject({ pid: process.pid, command: 'whodunit run' });
    lock.release();
    lock.release();
    expect(findLockHolder(path)).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is waited for, tells once who holds it, and comes when that one is done', async () => {
    const first = await acquire('whodunit run');
    const told: string[] = [];
    let sleeps = 0;
    const signal = new AbortController().signal;
    const clock = {
      now: () => systemClock.now(),
      elapsed: () => systemClock.now(),
      sleep: () => Promise.resolve((sleeps += 1) < 3 ? undefined : first.release()),
    };
    const second = await awaitLock(path, clock, { signal, onHeld: ({ command }) => void told.push(command) });
    expect(told).toEqual(['whodunit run']);
    expect(findLockHolder(path)?.pid).toBe(process.pid);
    second.release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('has one holder at a time, when several labs take it and give it back again and again', async () => {
    const script = join(PROJECT, 'test/fixtures/lock-rounds.ts');
    const labs = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', script, home, '1000'], { cwd: PROJECT }),
    );
    expect((await Promise.all(labs)).map(({ stdout }) => stdout.trim())).toEqual(['0', '0', '0', '0']);
  });

  it('names a holder in one line, however many cells its command names', async () => {
    const holder = { pid: 7, startTicks: '1', at: '2026-01-02T03:04:05.000Z', token: 'x' };
    expect(describeHolder({ ...holder, command: 'whodunit run' })).toBe(
      'process 7 (whodunit run, since 2026-01-02T03:04:05.000Z)',
    );
    const command = `whodunit run ${'default/oom-single-container '.repeat(40)}`;
    const cut = `${command.slice(0, 79)}…`;
    expect(describeHolder({ ...holder, command })).toBe(`process 7 (${cut}, since 2026-01-02T03:04:05.000Z)`);
    const lock = await acquire(command);
    await expect(acquire()).rejects.toMatchObject({
      lastSeen: expect.stringContaining(`(${cut}, since`) as string,
    });
    lock.release();
  });

  it('is waited for until the user gives up', async () => {
    const first = await acquire();
    const giveUp = new AbortController();
    const waiting = awaitLock(path, systemClock, { signal: giveUp.signal, onHeld: () => giveUp.abort() });
    await expect(waiting).rejects.toMatchObject({ exitCode: 130 });
    first.release();
    expect(readdirSync(home)).toEqual([]);
  });

  it('lets exactly one of many in', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquire()));
    expectOneWinner(results);
  });

  it.each([
    [
      'of a dead process',
      JSON.stringify({ pid: 4194303, startTicks: '1', command: 'x', at: 'x', token: 'x' }),
    ],
    [
      'of a reused pid',
      JSON.stringify({ pid: process.pid, startTicks: '1', command: 'x', at: 'x', token: 'x' }),
    ],
    ['that is broken', '{"pid":'],
  ])('lets exactly one of many take over a lock %s', async (_, content) => {
    writeFileSync(path, content);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquire()));
    expectOneWinner(results);
    expect(readdirSync(home)).toEqual(['lab.lock']);
  });

  it('does not release what somebody else has taken over', async () => {
    const lock = await acquire();
    const other = JSON.stringify({ pid: 4194303, startTicks: '1', command: 'x', at: 'x', token: 'other' });
    writeFileSync(path, other);
    lock.release();
    expect(readFileSync(path, 'utf8')).toBe(other);
  });
});

function expectOneWinner(results: readonly PromiseSettledResult<unknown>[]): void {
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'LAB_BUSY', exitCode: 3 });
  }
}
