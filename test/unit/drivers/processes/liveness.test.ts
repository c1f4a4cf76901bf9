import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findStartTicks, isProcessAlive } from '../../../../lab/drivers/processes/liveness.mjs';

/** The largest pid of Linux on 64 bits: nobody has it. */
const NOBODY = 4194303;
const HOUR_MS = 3_600_000;

describe('who is alive', () => {
  it('is whoever has the pid, as long as nobody says who is meant', () => {
    expect(isProcessAlive(process.pid)).toBe(true);
    expect(isProcessAlive(NOBODY)).toBe(false);
  });

  it('tells a process from another one with the same pid by its start', () => {
    const startTicks = findStartTicks(process.pid)!;
    expect(isProcessAlive(process.pid, { startTicks })).toBe(true);
    expect(isProcessAlive(process.pid, { startTicks: `${Number(startTicks) + 1}` })).toBe(false);
  });

  it('does not take a process for one that ran before it started', () => {
    expect(isProcessAlive(process.pid, { ranAtMs: Date.now() + HOUR_MS })).toBe(true);
    expect(isProcessAlive(process.pid, { ranAtMs: Date.now() - 24 * 365 * HOUR_MS })).toBe(false);
  });

  it('is nobody who has ended, though its parent has not asked yet', async () => {
    // The shell becomes a program that never asks for the end of its child, which then stays a zombie.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 601']);
    try {
      const [said] = (await once(parent.stdout, 'data')) as [Buffer];
      const child = Number(said.toString());
      await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
      process.kill(child, 'SIGKILL');
      await until(() => / Z /.test(readFileSync(`/proc/${child}/stat`, 'utf8')));
      expect(isProcessAlive(child)).toBe(false);
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setImmediate(done));
}
