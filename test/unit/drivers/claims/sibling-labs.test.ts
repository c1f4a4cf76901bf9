import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinSiblings, listSiblings } from '../../../../lab/drivers/claims/sibling-labs.ts';
import { systemClock } from '../../../../lab/drivers/clock.ts';
import { parseProcessMs, recordHostLoad } from '../../../../lab/drivers/host/host-load.ts';
import { findStartTicks } from '../../../../lab/drivers/processes/liveness.mjs';

let folder: string;
let other: ChildProcess;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'whodunit-siblings-')), 'claims');
  other = spawn('/bin/sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
});
afterEach(() => {
  other.kill('SIGKILL');
  rmSync(join(folder, '..'), { recursive: true });
});

/** What another process leaves behind that runs a shard of a plan. */
function joinAsOther(plan: string, startTicks = findStartTicks(other.pid ?? 0) ?? ''): void {
  const lease = { pid: other.pid, startTicks, plan, guests: 'whodunit-other-' };
  writeFileSync(join(folder, `${plan}.shard`), JSON.stringify(lease));
}

const cpuMsOf = (pid: number): number => parseProcessMs(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('labs that run shards of one plan on one host', () => {
  it('know each other, and no lab of another plan, no dead one, and not themselves', () => {
    const leave = joinSiblings(folder, { plan: 'ours', guests: 'whodunit-own-' });
    joinAsOther('theirs');
    expect(listSiblings(folder)).toEqual([]);
    joinAsOther('ours');
    expect(listSiblings(folder)).toEqual([{ pid: other.pid, guests: 'whodunit-other-' }]);
    joinAsOther('ours', '1');
    expect(listSiblings(folder)).toEqual([]);
    expect(readdirSync(folder)).not.toContain('ours.shard');
    leave();
    expect(readdirSync(folder).filter((name) => name.startsWith(String(process.pid)))).toEqual([]);
  });

  it('has no siblings where it runs no shard', () => {
    joinSiblings(folder, { plan: 'ours', guests: 'x' })();
    joinAsOther('ours');
    expect(listSiblings(folder)).toEqual([]);
  });

  it.each([
    ['a sibling is time of the lab itself', true],
    ['another program is not', false],
  ])('the CPU time of %s', async (_, isSibling) => {
    const pid = other.pid ?? 0;
    const file = join(folder, '..', 'host.jsonl');
    const friends = isSibling ? [{ pid, guests: 'none-' }] : [];
    const load = await recordHostLoad(systemClock, { prefix: 'none-', listFriends: () => friends }, file);
    // Counted from the first sample on, however long that took.
    const [before, ownBefore] = [cpuMsOf(pid), process.cpuUsage()];
    while (cpuMsOf(pid) < before + 300) await new Promise((done) => setImmediate(done));
    await load.stop();
    const { user, system } = process.cpuUsage(ownBefore);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const owns = lines.map((line) => (JSON.parse(line) as { ownMs: number }).ownMs);
    const beside = (owns.at(-1) ?? 0) - (owns[0] ?? 0) - (user + system) / 1000;
    // The clock of /proc has ticks of 10 ms, and each process is cut at both ends.
    if (isSibling) expect(beside).toBeGreaterThan(200);
    else expect(beside).toBeLessThan(100);
  });
});
