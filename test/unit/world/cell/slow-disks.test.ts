import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../../lab/model/host/host.ts';
import { createSlowDisks, type SlowDisks } from '../../../../lab/world/cell/slow-disks.ts';
import type { OpenWorld } from '../../../../lab/world/world.ts';
import { createFakeLab } from '../fake-world.ts';

let folder: string;
let calls: string[];
let interrupt: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-disks-'));
  calls = [];
  interrupt = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The disks of a world of two nodes. A virsh that gets a signal that has fired does nothing. */
function disksOf(): SlowDisks {
  const run: RunCommand = (_program, words, options) => {
    if ((options?.signal ?? interrupt.signal).aborted) return Promise.reject(new Error('interrupted'));
    calls.push(words.slice(words.indexOf('--domain') + 1).join(' '));
    return Promise.resolve({ status: 0, stdout: '', stderr: '' });
  };
  const lab = createFakeLab(folder, { host: { run, signal: interrupt.signal } });
  const nodes = ['node-1', 'node-2'].map((name) => ({ name, domain: `world-${name}` }));
  return createSlowDisks(lab, { record: { nodes } } as unknown as OpenWorld);
}

describe('a disk of a cell', () => {
  it('is slow until the cell is over', async () => {
    const disks = disksOf();
    await disks.slow('node-2', 100);
    await disks.release();
    await disks.release();
    expect(calls).toEqual([
      'world-node-2 --device vda --read-iops-sec 100 --live',
      'world-node-2 --device vda --read-iops-sec 0 --live',
    ]);
  });

  it('gets its speed back after an interrupt as well', async () => {
    const disks = disksOf();
    await disks.slow('node-1', 100);
    interrupt.abort();
    await disks.release();
    expect(calls.at(-1)).toBe('world-node-1 --device vda --read-iops-sec 0 --live');
  });

  it('that nobody made slow is left alone, and that of an unknown node is an error', async () => {
    const disks = disksOf();
    await disks.release();
    await expect(disks.slow('node-3', 100)).rejects.toMatchObject({ code: 'LAB_NODE' });
    expect(calls).toEqual([]);
  });
});
