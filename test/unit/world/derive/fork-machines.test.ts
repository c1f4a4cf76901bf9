import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../../lab/drivers/programs/command.ts';
import type { RunCommand } from '../../../../lab/model/host/host.ts';
import { statePaths } from '../../../../lab/model/host/paths.ts';
import type { ReservedWorld } from '../../../../lab/world/steps/build-step.ts';
import { forkMachines } from '../../../../lab/world/derive/fork-machines.ts';
import { openRestored } from '../../../../lab/world/restore/restore.ts';
import type { ReadyRecord } from '../../../../lab/world/world-record.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

vi.mock('../../../../lab/world/restore/restore.ts', () => ({ openRestored: vi.fn() }));

let folder: string;
/** Domains that are on. */
let on: Set<string>;
let virsh: string[];
/** What happens beside a copy, told of its source. */
let beside: (from: string, signal: AbortSignal) => void | Promise<void>;
let interrupt: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-fork-'));
  on = new Set(['parent-node-1', 'parent-node-2', 'child-node-1', 'child-node-2']);
  virsh = [];
  beside = () => undefined;
  interrupt = new AbortController();
  vi.mocked(openRestored)
    .mockReset()
    .mockResolvedValue({ guests: [], kubernetes: {} } as never);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A libvirt that knows which domains are on, and the real cp. */
const run: RunCommand = async (program, args, options = {}) => {
  if (program === 'cp') {
    await beside(args.at(-2) ?? '', options.signal ?? interrupt.signal);
    return runCommand(program, args, { signal: interrupt.signal, ...options });
  }
  if (options.signal?.aborted === true) throw options.signal.reason;
  const [verb = '', , domain = ''] = args.slice(3);
  virsh.push([verb, domain].join(' '));
  if (verb === 'destroy') on.delete(domain);
  if (verb === 'start') on.add(domain);
  const stdout = verb === 'domstate' ? (on.has(domain) ? 'running\n' : 'shut off\n') : '';
  return { status: 0, stdout, stderr: '' };
};

/** A world of some nodes, with a disk for each. */
function worldOf(
  name: string,
  disk: string,
  { pool = join(folder, name), nodes: count = '1+1' } = {},
): ReservedWorld & { record: ReadyRecord } {
  const world = clusterOf({ nodes: count }, { guests: [], kubernetes: {} as never });
  mkdirSync(pool, { recursive: true });
  const nodes = world.record.nodes.map((node) => ({ ...node, domain: `${name}-${node.name}` }));
  for (const node of nodes) writeFileSync(join(pool, `${node.name}.qcow2`), disk);
  return { ...world, record: { ...world.record, name, pool, nodes, state: 'ready' } };
}

const diskOf = (name: string, node: string): string => join(folder, name, `${node}.qcow2`);

/** Forks the machines of a child, as they stand in its pool. */
function fork(parent: ReadyRecord, child: ReservedWorld): Promise<unknown> {
  const lab = createFakeLab(folder, { host: { run, signal: interrupt.signal } });
  const { kubeconfig } = statePaths(lab.host.stateDir).world(parent.name);
  mkdirSync(join(kubeconfig, '..'), { recursive: true });
  writeFileSync(kubeconfig, 'clusters: []\n');
  return forkMachines(parent).run(lab, child, () => undefined);
}

describe('the machines of a fork', () => {
  it('have the disks of their parent, which is off and as it was', async () => {
    const parent = worldOf('parent', 'the cluster');
    const before = statSync(diskOf('parent', 'node-1')).mtimeMs;
    await fork(parent.record, worldOf('child', 'empty'));
    for (const node of ['node-1', 'node-2'])
      expect(readFileSync(diskOf('child', node), 'utf8')).toBe('the cluster');
    expect([...on].sort()).toEqual(['child-node-1', 'child-node-2']);
    expect(statSync(diskOf('parent', 'node-1')).mtimeMs).toBe(before);
  });

  it('leave alone one that the parent does not have: it boots from its own disk, and is not asked yet', async () => {
    const child = worldOf('child', 'empty', { nodes: '1+2' });
    on.add('child-node-3');
    await fork(worldOf('parent', 'the cluster').record, child);
    expect(readFileSync(diskOf('child', 'node-2'), 'utf8')).toBe('the cluster');
    expect(readFileSync(diskOf('child', 'node-3'), 'utf8')).toBe('empty');
    expect(virsh.filter((line) => line.endsWith('child-node-3'))).toEqual([]);
    const [, asked] = vi.mocked(openRestored).mock.calls[0] ?? [];
    expect(asked?.nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2']);
  });

  it('are not made of a parent whose disk is gone', async () => {
    const parent = worldOf('parent', 'the cluster');
    rmSync(diskOf('parent', 'node-2'));
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow(
      /the machines of parent could not be copied: .*node-2\.qcow2 is not there any more/,
    );
    expect(virsh).not.toContain('start child-node-2');
  });

  it('are not made of a parent that is removed while it is copied', async () => {
    const parent = worldOf('parent', 'the cluster');
    beside = (from) => rmSync(from);
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow(/cp .*No such file/s);
    expect(on.size).toBe(0);
  });

  it('are not made of a parent that somebody starts while it is copied', async () => {
    const parent = worldOf('parent', 'the cluster');
    beside = () => void on.add('parent-node-1');
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow(
      'parent-node-1 is running: somebody started it while its disk was copied',
    );
    expect(virsh).not.toContain('start child-node-1');
  });

  it('are not made of a disk that is written to while it is copied', async () => {
    const parent = worldOf('parent', 'the cluster');
    beside = (from) => appendFileSync(from, ' goes on');
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow(
      /node-[12]\.qcow2 was written to while it was copied/,
    );
    expect(on.size).toBe(0);
  });

  it('are whole, or none is started, when the copy of one fails: nothing writes any more afterwards', async () => {
    const parent = worldOf('parent', 'the cluster');
    let isCopying = false;
    beside = async (from, signal) => {
      if (from.endsWith('node-1.qcow2')) return rmSync(from);
      isCopying = true;
      // It is ended when the other one has failed, and takes a moment for it.
      await new Promise((ended) => signal.addEventListener('abort', ended, { once: true }));
      await new Promise((resume) => setImmediate(resume));
      isCopying = false;
    };
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow(/No such file/);
    expect(isCopying).toBe(false);
    expect(on.size).toBe(0);
  });

  it('are not started after an interrupt', async () => {
    const parent = worldOf('parent', 'the cluster');
    beside = () => interrupt.abort();
    await expect(fork(parent.record, worldOf('child', 'empty'))).rejects.toThrow();
    expect(on.size).toBe(0);
    expect(readFileSync(diskOf('parent', 'node-1'), 'utf8')).toBe('the cluster');
  });

  it.skipIf(process.getuid?.() !== 0)('are not made on a full disk', async () => {
    const small = join(folder, 'small');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'whodunit-test', small]);
    try {
      const parent = worldOf('parent', 'x'.repeat(400_000));
      const child = worldOf('child', 'empty', { pool: join(small, 'child') });
      await expect(fork(parent.record, child)).rejects.toThrow(/No space left on device/);
      expect(on.size).toBe(0);
      expect(readFileSync(diskOf('parent', 'node-1'), 'utf8')).toHaveLength(400_000);
      expect(existsSync(join(small, 'child'))).toBe(true);
    } finally {
      execFileSync('umount', [small]);
    }
  });
});
