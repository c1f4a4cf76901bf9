import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openKubernetes, type Kubernetes } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import type { Variant } from '../../../../lab/model/axes/axes.ts';
import { DeclaredStartFailure } from '../../../../lab/model/errors/errors.ts';
import type { SettledWorld } from '../../../../lab/world/steps/build-step.ts';
import { waitForCluster } from '../../../../lab/world/steps/cluster-ready.ts';
import { removeResolvingPods } from '../../../../lab/world/steps/resolving-pod.ts';
import { checkEffective } from '../../../../lab/world/oracle/check.ts';
import { changeRuntimeDriver, waitForRebooted } from '../../../../lab/world/settle/change-driver.ts';
import {
  createRuntimeClass,
  createSandboxPod,
  removeSandboxPod,
  waitForSandboxPod,
} from '../../../../lab/world/settle/sandbox-pods.ts';
import { settleWorld } from '../../../../lab/world/settle/settle.ts';
import { proveStartFailure } from '../../../../lab/world/settle/start-failure.ts';
import { createToldGuest } from '../../../fake-guest.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

vi.mock('../../../../lab/drivers/kubernetes/kubernetes.ts', async (original) => ({
  ...(await original<object>()),
  openKubernetes: vi.fn(),
}));
vi.mock('../../../../lab/world/steps/cluster-ready.ts');
vi.mock('../../../../lab/world/steps/resolving-pod.ts');
vi.mock('../../../../lab/world/oracle/check.ts');
vi.mock('../../../../lab/world/settle/change-driver.ts');
vi.mock('../../../../lab/world/settle/sandbox-pods.ts');
vi.mock('../../../../lab/world/settle/start-failure.ts');

let folder: string;
let happened: string[];
const SYSCTL = "sysctl -w 'vm.overcommit_ratio=100' 'vm.overcommit_memory=2'";

/** Each piece of work says that it was done, and whether it failed. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-settle-'));
  happened = [];
  vi.resetAllMocks();
  const say = (what: string) => () => Promise.resolve(void happened.push(what));
  vi.mocked(removeResolvingPods).mockImplementation(say('resolving pods go'));
  vi.mocked(waitForRebooted).mockImplementation(say('nodes are Ready'));
  vi.mocked(waitForCluster).mockImplementation(say('the cluster works'));
  vi.mocked(createRuntimeClass).mockImplementation(say('RuntimeClass'));
  vi.mocked(createSandboxPod).mockImplementation((_, node) => say(`sandbox of ${node}`)());
  vi.mocked(waitForSandboxPod).mockImplementation((_host, _api, node) => say(`sandbox of ${node} runs`)());
  vi.mocked(removeSandboxPod).mockImplementation((_host, _api, node) => say(`sandbox of ${node} goes`)());
  vi.mocked(openKubernetes).mockImplementation(async () => {
    happened.push('API opened');
    return kubernetesNamed('second');
  });
  vi.mocked(changeRuntimeDriver).mockImplementation(async (_host, { guests }) => {
    happened.push('driver changed');
    return guests.map(({ name }) => ({ guest: createToldGuest(`${name} again`, happened), bootId: 'b' }));
  });
  vi.mocked(checkEffective).mockImplementation(async (_host, { guests }) => {
    happened.push(`read back ${guests.map(({ name }) => name).join(', ')}`);
    return { formatVersion: 1, versions: {}, nodes: [] };
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

const kubernetesNamed = (name: string): Kubernetes =>
  ({ name, close: () => void happened.push(`API ${name} closed`) }) as unknown as Kubernetes;

function settle(axes: Partial<Variant>): Promise<SettledWorld> {
  const names = axes.nodes === '1+1' ? ['node-1', 'node-2'] : ['node-1'];
  const guests = names.map((name) => createToldGuest(name, happened, { [SYSCTL]: '' }));
  const world = clusterOf(axes, { guests, kubernetes: kubernetesNamed('first') });
  return settleWorld.run(createFakeLab(folder), world, () => undefined);
}

describe('what a variant adds to a cluster that works', () => {
  it('is nothing by default: it is read back while the resolving pods go', async () => {
    const settled = await settle({});
    expect(happened).toEqual(['read back node-1', 'resolving pods go']);
    expect(settled.restartsDeclared).toBe(false);
    expect(settled.effective.formatVersion).toBe(1);
  });

  it('is another driver of containerd, after which the world has new connections', async () => {
    const settled = await settle({ drivers: 'systemd+cgroupfs', cgroup: 'v1' });
    expect(happened).toEqual([
      'resolving pods go',
      'API first closed',
      'driver changed',
      'API opened',
      'nodes are Ready',
      'the cluster works',
      'read back node-1 again',
      'resolving pods go',
    ]);
    expect(settled.guests.map(({ name }) => name)).toEqual(['node-1 again']);
    expect(settled.kubernetes).toMatchObject({ name: 'second' });
  });

  it('is a kubelet that kills its pods again and again, for which the cluster is not waited', async () => {
    const settled = await settle({ drivers: 'systemd+cgroupfs' });
    expect(settled.restartsDeclared).toBe(true);
    expect(happened).toContain('nodes are Ready');
    expect(happened).not.toContain('the cluster works');
  });

  it('is a node that cannot start pods, which is proven before its API is asked for, and ends the build', async () => {
    const facts = { world: 'w', rule: 'r', reason: 'why', source: 's', text: 'line', seen: 'the line' };
    vi.mocked(proveStartFailure).mockRejectedValue(new DeclaredStartFailure(facts));
    await expect(settle({ drivers: 'cgroupfs+systemd' })).rejects.toBeInstanceOf(DeclaredStartFailure);
    expect(vi.mocked(proveStartFailure).mock.calls[0]?.[1].guest.name).toBe('node-1 again');
    expect(happened.at(-1)).toBe('driver changed');
  });

  it('is a runtime that cannot start pods, which is proven with a sandbox, also where the driver was changed', async () => {
    const facts = { world: 'w', rule: 'r', reason: 'why', source: 's', text: 'line', seen: 'the line' };
    vi.mocked(proveStartFailure).mockRejectedValue(new DeclaredStartFailure(facts));
    const runsc = { runtime: 'runsc@20240916+systemd-cgroup' };
    for (const axes of [
      { drivers: 'cgroupfs+cgroupfs' },
      { drivers: 'systemd+cgroupfs', containerd: '2.1.4' },
    ]) {
      happened.length = 0;
      await expect(settle({ ...runsc, ...axes })).rejects.toBeInstanceOf(DeclaredStartFailure);
      expect(happened.slice(-2)).toEqual(['RuntimeClass', expect.stringMatching(/^sandbox of node-1/)]);
    }
  });

  it('is a RuntimeClass, with a sandbox on each node as long as it is looked at', async () => {
    await settle({ runtime: 'runsc@20230927', nodes: '1+1' });
    expect(happened).toEqual([
      'RuntimeClass',
      'sandbox of node-1',
      'sandbox of node-2',
      'sandbox of node-1 runs',
      'sandbox of node-2 runs',
      'read back node-1, node-2',
      'resolving pods go',
      'sandbox of node-1 goes',
      'sandbox of node-2 goes',
    ]);
  });

  it('is sysctls, set on each node in one go and in their order, before they are read back', async () => {
    await settle({ knobs: 'overcommit-2', nodes: '1+1' });
    expect(happened.slice(0, 3)).toEqual([
      `node-1: ${SYSCTL}`,
      `node-2: ${SYSCTL}`,
      'read back node-1, node-2',
    ]);
  });

  it('ends with what was read back when that is something else', async () => {
    const unlike = new Error('not what its variant declares');
    vi.mocked(checkEffective).mockRejectedValue(unlike);
    await expect(settle({ runtime: 'runsc@20230927' })).rejects.toBe(unlike);
    expect(happened).not.toContain('sandbox of node-1 goes');
  });
});
