import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Kubernetes } from '../../../../lab/drivers/kubernetes/kubernetes.ts';
import { changeNodes } from '../../../../lab/world/derive/change-nodes.ts';
import { createToldGuest } from '../../../fake-guest.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

/** An API that answers, and takes every removal. */
const HEALTHY = {
  get: () => Promise.resolve({ status: 200, text: 'ok' }),
  core: { deleteCollectionNamespacedPod: () => Promise.resolve() },
} as unknown as Kubernetes;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'whodunit-change-nodes-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('another configuration of the kubelet goes into the API by the control plane, and from there to the workers', async () => {
  const told: string[] = [];
  const answers = {
    'kubeadm init phase upload-config all': '',
    'kubeadm init phase kubelet-start': '',
    'kubeadm upgrade node phase kubelet-config 2>&1\nsystemctl restart kubelet': '',
  };
  const guests = ['node-1', 'node-2'].map((name) => createToldGuest(name, told, answers));
  const world = clusterOf({ nodes: '1+1', knobs: 'qps-5' }, { guests, kubernetes: HEALTHY });
  await changeNodes([{ kind: 'kubelet' }], []).run(createFakeLab(folder), world, () => undefined);
  expect(told).toEqual([
    'node-1: /etc/kubernetes/kubeadm.yaml',
    'node-1: kubeadm init phase upload-config all',
    'node-1: kubeadm init phase kubelet-start',
    'node-2: kubeadm upgrade node phase kubelet-config 2>&1\nsystemctl restart kubelet',
  ]);
});

it('pods go by the containerd that made them, before it is replaced, and after what goes into the API', async () => {
  const told: string[] = [];
  const pieces = [
    'kubeadm init phase upload-config all',
    'systemctl stop kubelet',
    'rmp --all --force',
    'systemctl stop containerd',
    'dpkg -L containerd',
    'cat > ',
    'cmp -s /etc/containerd/whodunit.toml',
    'kubeadm init phase kubelet-start',
    'systemctl start kubelet',
  ];
  const guest = createToldGuest('node-1', told, Object.fromEntries(pieces.map((piece) => [piece, ''])));
  const removed: unknown[] = [];
  const core = { deleteCollectionNamespacedPod: (asked: unknown) => Promise.resolve(removed.push(asked)) };
  const program = join(folder, 'containerd');
  writeFileSync(program, 'a program');
  const artifact = { component: 'containerd', version: '2.1.4', source: 'gomod', digest: '1' } as const;
  const world = clusterOf(
    { drivers: 'cgroupfs+cgroupfs', containerd: '2.1.4' },
    { guests: [guest], kubernetes: { core } as unknown as Kubernetes },
  );
  await changeNodes(
    [
      { kind: 'pods' },
      { kind: 'programs', component: 'containerd' },
      { kind: 'runtime' },
      { kind: 'kubelet' },
    ],
    [{ ...artifact, files: { containerd: program }, packages: [] }],
  ).run(createFakeLab(folder), world, () => undefined);
  const scripts = told.filter((line) => !/: \//.test(line)).map((line) => line.replace('node-1: ', ''));
  expect(scripts).toEqual(pieces);
  expect(removed).toEqual([expect.objectContaining({ namespace: 'kube-system', gracePeriodSeconds: 0 })]);
});

it('the pods of several nodes go together, and the control plane comes back before a worker asks it', async () => {
  const told: string[] = [];
  const pieces = [
    'systemctl stop kubelet',
    'rmp --all --force',
    'kubeadm init phase upload-config all',
    'kubeadm init phase kubelet-start',
    'kubeadm upgrade node phase kubelet-config',
    'systemctl start kubelet',
  ];
  const answers = Object.fromEntries(pieces.map((piece) => [piece, '']));
  const guests = ['node-1', 'node-2'].map((name) => createToldGuest(name, told, answers));
  let answered = 0;
  const get = () => {
    told.push('the API is asked');
    answered += 1;
    return answered < 2 ? Promise.reject(new Error('ECONNREFUSED')) : HEALTHY.get('/readyz');
  };
  const world = clusterOf({ nodes: '1+1', knobs: 'tight' }, { guests, kubernetes: { ...HEALTHY, get } });
  await changeNodes([{ kind: 'pods' }, { kind: 'kubelet' }], []).run(
    createFakeLab(folder),
    world,
    () => undefined,
  );
  expect(told.filter((line) => !line.includes(': /'))).toEqual([
    'node-1: kubeadm init phase upload-config all',
    'node-1: systemctl stop kubelet',
    'node-2: systemctl stop kubelet',
    'node-1: rmp --all --force',
    'node-2: rmp --all --force',
    'node-1: kubeadm init phase kubelet-start',
    'node-1: systemctl start kubelet',
    'the API is asked',
    'the API is asked',
    'node-2: kubeadm upgrade node phase kubelet-config',
    'node-2: systemctl start kubelet',
  ]);
});
