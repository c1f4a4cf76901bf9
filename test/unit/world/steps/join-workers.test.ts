import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Kubernetes } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import { joinWorkers } from '../../../../lab/world/steps/join-workers.ts';
import { createToldGuest } from '../../../fake-guest.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

let folder: string;
/** What happened, in order: scripts and files by node, and questions to the API. */
let happened: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-join-'));
  happened = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const TICKET = `kubeadm join 10.99.0.1:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:${'0'.repeat(64)}`;
const JOIN = 'kubeadm join --config';
const CONFIG = '/etc/kubernetes/join.yaml';

/** Lets two workers join a control plane whose API gives these pod subnets, one for each look. */
async function joinTwo(
  subnets: Record<string, (string | undefined)[]>,
  joins: string | Error = '',
): Promise<void> {
  const dns = [[{ spec: {} }], [{ spec: { nodeName: 'node-1' } }]];
  const core = {
    listNamespacedPod: () => {
      happened.push('api: pods of DNS');
      return Promise.resolve({ items: dns.length > 1 ? dns.shift() : dns[0] });
    },
    readNode: ({ name }: { name: string }) => {
      happened.push(`api: subnet of ${name}`);
      return Promise.resolve({ spec: { podCIDR: subnets[name]?.shift() } });
    },
  };
  const guests = [
    createToldGuest('node-1', happened, { 'kubeadm token create': TICKET }),
    ...['node-2', 'node-3'].map((name) => createToldGuest(name, happened, { [JOIN]: joins })),
  ];
  const world = clusterOf({ nodes: '1+2' }, { guests, kubernetes: { core } as unknown as Kubernetes });
  const lab = createFakeLab(folder);
  await joinWorkers.run(lab, world, () => undefined);
}

const known = (): string[] =>
  happened.filter(
    (event) => event.startsWith('api') || [CONFIG, JOIN, 'create'].some((end) => event.endsWith(end)),
  );

describe('the workers of a cluster', () => {
  it('join once DNS has its place, each after the one before it has its pod subnet', async () => {
    await joinTwo({ 'node-2': [undefined, '10.244.1.0/24'], 'node-3': ['10.244.2.0/24'] });
    expect(known()).toEqual([
      'api: pods of DNS',
      'api: pods of DNS',
      'node-1: kubeadm token create',
      `node-2: ${CONFIG}`,
      `node-2: ${JOIN}`,
      'api: subnet of node-2',
      'api: subnet of node-2',
      `node-3: ${CONFIG}`,
      `node-3: ${JOIN}`,
      'api: subnet of node-3',
    ]);
  });

  it('are not tried further after one got a subnet that its network does not have', async () => {
    const joined = joinTwo({ 'node-2': ['10.244.2.0/24'] });
    await expect(joined).rejects.toMatchObject({
      code: 'LAB_PROBE_TIMEOUT',
      lastSeen: 'podCIDR 10.244.2.0/24',
    });
    expect(known().filter((event) => event.startsWith('api: subnet'))).toHaveLength(1);
    expect(known().some((event) => event.startsWith('node-3'))).toBe(false);
  });

  it('are not tried further after kubeadm failed on one', async () => {
    const failure = new Error('exit 1');
    await expect(joinTwo({}, failure)).rejects.toBe(failure);
    expect(known().at(-1)).toBe(`node-2: ${JOIN}`);
  });
});
