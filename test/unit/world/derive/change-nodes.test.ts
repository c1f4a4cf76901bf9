import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Kubernetes } from '../../../../lab/drivers/kubernetes.ts';
import { changeNodes } from '../../../../lab/world/derive/change-nodes.ts';
import { createToldGuest } from '../../../fake-guest.ts';
import { clusterOf, createFakeLab } from '../fake-world.ts';

it('another configuration of the kubelet goes into the API by the control plane, and from there to the workers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-change-nodes-'));
  const told: string[] = [];
  const answers = {
    'kubeadm init phase upload-config all': '',
    'kubeadm upgrade node phase kubelet-config 2>&1\nsystemctl restart kubelet': '',
  };
  const guests = ['node-1', 'node-2'].map((name) => createToldGuest(name, told, answers));
  const world = clusterOf({ nodes: '1+1', knobs: 'qps-5' }, { guests, kubernetes: {} as Kubernetes });
  await changeNodes([{ kind: 'kubelet' }], []).run(createFakeLab(folder), world, () => undefined);
  rmSync(folder, { recursive: true });
  expect(told).toEqual([
    'node-1: /etc/kubernetes/kubeadm.yaml',
    'node-1: kubeadm init phase upload-config all',
    'node-2: kubeadm upgrade node phase kubelet-config 2>&1\nsystemctl restart kubelet',
  ]);
});
