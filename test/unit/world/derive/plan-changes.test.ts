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

  it.each(['crun', 'youki'])('is a release of %s, whose handler is added', (name) => {
    const wanted = {
      ...parent,
      [`component ${name}`]: '1.7.1 1',
      'runtime.name': `"${name}"`,
      'runtime file /etc/containerd/whodunit.toml': 'b',
    };
    expect(planChanges(parent, wanted)).toEqual({
      changes: [{ kind: 'programs', component: name }, { kind: 'runtime' }],
    });
  });

  it('is a runc under test, and no pod: the runc that made them stays', () => {
    const wanted = {
      ...parent,
      'component runc-under-test': 'git:runc@tree:0123456789ab-dirty 1',
      'runtime.version': '"git:../runc"',
      'runtime file /etc/containerd/whodunit.toml': 'b',
    };
    expect(planChanges(parent, wanted)).toEqual({
      changes: [{ kind: 'programs', component: 'runc-under-test' }, { kind: 'runtime' }],
    });
    expect(planChanges(wanted, parent)).toMatchObject({ cold: expect.any(String) as string });
  });

  it('is new pods, for settings that the cgroup of a pod gets when it starts', () => {
    const wanted = { ...parent, 'kubeadm configuration': 'b', 'knobs.kubelet.podPidsLimit': '64' };
    expect(planChanges(parent, wanted)).toEqual({ changes: [{ kind: 'pods' }, { kind: 'kubelet' }] });
  });

  it('is new pods for a field of the kubelet that nobody thought of', () => {
    const wanted = { ...parent, 'kubeadm configuration': 'b', 'knobs.kubelet.cpuManagerPolicy': '"static"' };
    expect(planChanges(parent, wanted)).toEqual({ changes: [{ kind: 'pods' }, { kind: 'kubelet' }] });
  });

  it('is new pods by another runc: those that run go before their runc does', () => {
    expect(planChanges(parent, { ...parent, 'component runc': '1.4.3 2' })).toEqual({
      changes: [{ kind: 'pods' }, { kind: 'programs', component: 'runc' }],
    });
  });

  it('is new pods by another containerd, which is configured by its own version', () => {
    const own = { ...parent, 'component containerd': 'apt 1' };
    expect(planChanges(own, { ...own, 'component containerd': '2.1.4 2' })).toEqual({
      changes: [{ kind: 'pods' }, { kind: 'programs', component: 'containerd' }, { kind: 'runtime' }],
    });
  });

  it('is new pods in other cgroups, for other drivers, and the runtime first: it is told before the kubelet is', () => {
    const drivers = { ...parent, 'drivers.kubelet': '"systemd"', 'drivers.runtime': '"systemd"' };
    const other = { 'drivers.kubelet': '"cgroupfs"', 'drivers.runtime': '"cgroupfs"' };
    const wanted = { ...drivers, ...other, 'kubeadm configuration': 'b' };
    expect(planChanges(drivers, wanted)).toEqual({
      changes: [{ kind: 'pods' }, { kind: 'runtime' }, { kind: 'kubelet' }],
    });
  });

  it('is refused for a driver mismatch, whatever else differs: when it shows depends on its reboot', () => {
    const same = { ...parent, 'drivers.kubelet': '"systemd"', 'drivers.runtime': '"systemd"' };
    const wanted = { ...same, 'drivers.runtime': '"cgroupfs"' };
    const cold = 'what a driver mismatch does depends on when its node was rebooted';
    expect(planChanges(same, wanted)).toEqual({ cold });
    expect(planChanges(wanted, { ...wanted, 'knobs.sysctl.a': '"1"' })).toEqual({ cold });
  });

  it('is machines that join, where the saved world lacks them; one more or other than it has is refused', () => {
    const two = { ...parent, 'node.node-2.name': '"node-2"', 'node.node-2.memoryMiB': '3072' };
    const three = { ...two, 'node.node-3.name': '"node-3"' };
    expect(planChanges(two, three)).toEqual({ changes: [{ kind: 'workers' }] });
    expect(planChanges(three, two)).toEqual({ cold: 'node.node-3.name is gone' });
    expect(planChanges(two, { ...three, 'node.node-2.memoryMiB': '4096' })).toEqual({
      cold: 'node.node-2.memoryMiB was 3072, is 4096',
    });
  });

  it.each([
    ['component runc', 'apt 2', 'component runc was apt 1, is apt 2'],
    ['component containerd', 'file:out@sha256:1 2', 'component containerd is new'],
    [
      'kubeadm patch corednsdeployment+strategic.yaml',
      'b',
      'kubeadm patch corednsdeployment+strategic.yaml is new',
    ],
    ['packages', 'crun runc systemd', 'packages was runc systemd, is crun runc systemd'],
    ['kernel argument psi', 'psi=1', 'kernel argument psi is new'],
    ['an input that nobody thought of', '1', 'an input that nobody thought of is new'],
  ])('is refused when %s differs', (name, value, cold) => {
    expect(planChanges(parent, { ...parent, [name]: value, 'kubeadm configuration': 'b' })).toEqual({ cold });
  });
});
