import { describe, expect, it } from 'vitest';
import { planChanges } from '../../../../lab/world/derive/plan-changes.ts';

const parent = {
  name: '"default"',
  kubernetes: '"1.34.2"',
  packages: 'runc systemd',
  'component runc': 'apt 1',
  'kubeadm configuration': 'a',
  'runtime file /etc/containerd/whodunit.toml': 'a',
  'runtime.name': '"runc"',
};

describe('what makes a world of a saved one', () => {
  it('is nothing but what it is settled with, for other sysctls', () => {
    const wanted = { ...parent, name: '"overcommit-2"', 'knobs.sysctl.vm.overcommit_memory': '"2"' };
    expect(planChanges(parent, wanted)).toEqual({ changes: [] });
  });

  it('is the kubelet, for another configuration of it', () => {
    const wanted = { ...parent, 'kubeadm configuration': 'b', 'knobs.kubelet.kubeAPIQPS': '1' };
    expect(planChanges(parent, wanted)).toEqual({ changes: [{ kind: 'kubelet' }] });
  });

  it('is programs first, then the runtime that starts them', () => {
    const wanted = {
      ...parent,
      'component gvisor': '20230927 1',
      'runtime.name': '"runsc"',
      'runtime.systemdCgroup': 'false',
      'runtime file /etc/containerd/whodunit.toml': 'b',
      'runtime file /etc/containerd/runsc.toml': 'c',
    };
    expect(planChanges(parent, wanted)).toEqual({
      changes: [{ kind: 'programs', component: 'gvisor' }, { kind: 'runtime' }],
    });
  });

  it.each([
    ['component runc', 'apt 2', 'component runc was apt 1, is apt 2'],
    ['packages', 'crun runc systemd', 'packages was runc systemd, is crun runc systemd'],
    ['node.node-2.name', '"node-2"', 'node.node-2.name is new'],
    ['kernel argument psi', 'psi=1', 'kernel argument psi is new'],
    ['an input that nobody thought of', '1', 'an input that nobody thought of is new'],
  ])('is refused when %s differs', (name, value, cold) => {
    expect(planChanges(parent, { ...parent, [name]: value, 'kubeadm configuration': 'b' })).toEqual({ cold });
  });
});
