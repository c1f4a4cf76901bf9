import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT, readVariant, type Variant } from '../../../../lab/model/axes/axes.ts';
import { resolveVersion } from '../../../../lab/model/components/components.ts';
import {
  findRelease,
  parseLocalBuild,
  recordLocalBuild,
} from '../../../../lab/model/components/local-build.ts';
import { listNodeComponents } from '../../../../lab/plan/worlds/node-components.ts';
import { readComponents } from '../../../../provision/components/components.ts';
import { PROJECT } from '../../project-files.ts';

const shipped = readComponents(PROJECT);
const list = (choice: Partial<Variant>): Record<string, string> =>
  Object.fromEntries(
    listNodeComponents(shipped, readVariant({ ...DEFAULT_VARIANT, ...choice })).map(({ name, version }) => [
      name,
      version,
    ]),
  );

describe('the components of a node', () => {
  it('are those of the default variant, Kubernetes first, all versions exact', () => {
    expect(listNodeComponents(shipped, readVariant(DEFAULT_VARIANT))).toEqual([
      { name: 'kubernetes', version: '1.34.2' },
      { name: 'etcd', version: '3.6.5' },
      { name: 'coredns', version: '1.12.1' },
      { name: 'cni-plugins', version: '1.7.1' },
      { name: 'containerd', version: 'apt' },
      { name: 'runc', version: 'apt' },
      { name: 'crictl', version: '1.26.1' },
      { name: 'workloads', version: '1' },
      { name: 'witness', version: '1' },
    ]);
  });

  it('follow what kubeadm of that minor release expects', () => {
    expect(list({ kubernetes: '1.22' })).toMatchObject({ etcd: '3.5.6', coredns: '1.8.4' });
    expect(list({ kubernetes: '1.30.14' })).toMatchObject({ etcd: '3.5.15' });
    expect(list({ kubernetes: '1.36' })).toMatchObject({ etcd: '3.6.8', coredns: '1.14.2' });
  });

  it('have an entry of their own for every minor release from 1.22 to 1.37', () => {
    const minors = Array.from({ length: 16 }, (_, index) => `1.${22 + index}`);
    expect(shipped.clusters.map((cluster) => cluster.kubernetes)).toEqual(minors);
  });

  it('keep the suite’s runc for the control plane where workloads run under runsc', () => {
    const node = list({ containerd: '1.7.27', runtime: 'runsc@20230927+systemd-cgroup' });
    expect(node).toMatchObject({
      containerd: '1.7.27',
      runc: 'apt',
      gvisor: '20230927004350-cbd86285d259',
    });
    expect(list({ runtime: 'runsc@apt' })).toMatchObject({ gvisor: 'apt' });
  });

  it('keep it as well where workloads run under crun or youki', () => {
    expect(list({ runtime: 'crun' })).toMatchObject({ runc: 'apt', crun: 'apt' });
    expect(list({ runtime: 'youki@0.5' })).toMatchObject({ runc: 'apt', youki: '0.5.7' });
    expect(list({})).not.toHaveProperty('crun');
  });

  it('keep it as well where workloads run under an exact runc, which is beside it', () => {
    const node = list({ runtime: 'runc@1.1.12' });
    expect(node).toMatchObject({ runc: 'apt', 'runc-under-test': '1.1.12' });
    expect(node).not.toHaveProperty('gvisor');
    expect(list({})).not.toHaveProperty('runc-under-test');
  });

  it('take an exact runc in its place where that is to run everywhere', () => {
    const node = list({ runtime: 'runc@1.1.12+everywhere' });
    expect(node).toMatchObject({ runc: '1.1.12' });
    expect(node).not.toHaveProperty('runc-under-test');
  });

  it('take local builds, with etcd and CoreDNS of the release that the kubelet goes with', () => {
    const node = list({
      kubernetes: '1.22@file:./kubelet',
      containerd: 'file:./out',
      runtime: 'runc@file:./runc',
    });
    expect(node).toMatchObject({
      kubernetes: '1.22.17@file:./kubelet',
      etcd: '3.5.6',
      containerd: 'file:./out',
      runc: 'apt',
      'runc-under-test': 'file:./runc',
    });
  });
});

describe('the version of a local build', () => {
  it('is told from a release, with the release beneath it', () => {
    expect(parseLocalBuild('1.34.2')).toBeUndefined();
    expect(parseLocalBuild('file:/opt/a@b')).toEqual({ kind: 'file', path: '/opt/a@b' });
    expect(parseLocalBuild('file:/opt/a#b')).toEqual({ kind: 'file', path: '/opt/a#b' });
    expect(parseLocalBuild('1.34.2@file:./k')).toEqual({ release: '1.34.2', kind: 'file', path: './k' });
    expect(parseLocalBuild('git:../runc')).toEqual({ kind: 'git', path: '../runc' });
    expect(parseLocalBuild('1.34.2@git:.#feature/x')).toEqual({
      release: '1.34.2',
      kind: 'git',
      path: '.',
      ref: 'feature/x',
    });
    expect([findRelease('1.34.2'), findRelease('1.34.2@file:./k'), findRelease('file:./k')]).toEqual([
      '1.34.2',
      '1.34.2',
      undefined,
    ]);
  });

  it('is recorded as a text that no source takes for a release', () => {
    const recorded = recordLocalBuild('runsc', 'abcdef0123456789');
    expect(recorded).toBe('file:runsc@sha256:abcdef012345');
    expect(parseLocalBuild(recorded)).toBeDefined();
    expect(() => resolveVersion(shipped, 'etcd', recorded)).toThrow('cannot be a local build');
  });
});
