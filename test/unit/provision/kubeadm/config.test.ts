import { parseAllDocuments, parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { renderKubeadmConfig, type KubeadmConfigInput } from '../../../../provision/kubeadm/config.ts';
import { planKubelet } from '../../../../provision/kubeadm/kubelet.ts';
import { renderPatches, type PatchSettings } from '../../../../provision/kubeadm/patches.ts';
import { kubeadmApiVersion, listIgnoredPreflight, minorOf } from '../../../../provision/kubeadm/releases.ts';

const input = (kubernetes: string, more: Partial<KubeadmConfigInput> = {}): KubeadmConfigInput => ({
  kubernetes,
  nodeName: 'node-1',
  nodeAddress: '10.0.2.15',
  podSubnet: '10.244.0.0/16',
  extraSans: ['127.0.0.1'],
  cgroupDriver: 'systemd',
  cgroup: 'v2',
  fields: {},
  ...more,
});

type Document = Record<string, Record<string, unknown>>;

function read(kubernetes: string, more: Partial<KubeadmConfigInput> = {}): Document[] {
  return parseAllDocuments(renderKubeadmConfig(input(kubernetes, more))).map(
    (document) => document.toJS() as Document,
  );
}

describe('the configuration of kubeadm', () => {
  it('is written in the API that the release knows and does not call deprecated', () => {
    expect(['1.22.17', '1.30.14', '1.31.0', '1.36.3'].map(kubeadmApiVersion)).toEqual([
      'v1beta3',
      'v1beta3',
      'v1beta4',
      'v1beta4',
    ]);
  });

  it('writes arguments as a map before v1beta4 and as a list since', () => {
    const [oldInit, oldCluster] = read('1.22.17');
    const [newInit, newCluster] = read('1.34.2');
    expect(oldInit?.['nodeRegistration']?.['kubeletExtraArgs']).toEqual({ 'node-ip': '10.0.2.15', v: '2' });
    expect(newInit?.['nodeRegistration']?.['kubeletExtraArgs']).toEqual([
      { name: 'node-ip', value: '10.0.2.15' },
      { name: 'v', value: '2' },
    ]);
    expect(oldCluster?.['controllerManager']?.['extraArgs']).toEqual({ 'leader-elect': 'false' });
    expect(newCluster?.['scheduler']?.['extraArgs']).toEqual([{ name: 'leader-elect', value: 'false' }]);
  });

  it('lets the scheduler answer where the API server of its release asks', () => {
    const scheduler = (kubernetes: string): unknown => read(kubernetes)[1]?.['scheduler']?.['extraArgs'];
    expect(scheduler('1.22.17')).toEqual({ 'leader-elect': 'false', address: '127.0.0.1', port: '10251' });
    expect(scheduler('1.23.17')).toEqual({ 'leader-elect': 'false' });
  });

  it('lets the API server wait for a slow etcd, in the words that its release knows', () => {
    const apiServer = (kubernetes: string, flags = {}): unknown =>
      read(kubernetes, { controlPlane: { apiServer: { flags, featureGates: {} } } })[1]?.['apiServer']?.[
        'extraArgs'
      ];
    expect(apiServer('1.24.17')).toEqual({ 'etcd-healthcheck-timeout': '8s' });
    expect(apiServer('1.25.16')).toEqual({
      'etcd-healthcheck-timeout': '8s',
      'etcd-readycheck-timeout': '8s',
    });
    expect(apiServer('1.24.17', { 'etcd-healthcheck-timeout': '1s' })).toEqual({
      'etcd-healthcheck-timeout': '1s',
    });
  });

  it('gives the control plane eight minutes, in the field of its time', () => {
    const [oldInit, oldCluster] = read('1.30.14');
    const [newInit, newCluster] = read('1.31.14');
    expect(oldCluster?.['apiServer']?.['timeoutForControlPlane']).toBe('8m0s');
    expect(oldInit?.['timeouts']).toBeUndefined();
    expect(newInit?.['timeouts']?.['controlPlaneComponentHealthCheck']).toBe('8m0s');
    expect(newCluster?.['apiServer']?.['timeoutForControlPlane']).toBeUndefined();
  });

  it('names no taints, so that the one node takes every pod', () => {
    expect(read('1.22.17')[0]?.['nodeRegistration']?.['taints']).toEqual([]);
  });

  it('lets the kubelet run on cgroup v1 where it has to be asked', () => {
    const field = (kubernetes: string, cgroup: 'v1' | 'v2'): unknown =>
      planKubelet({ kubernetes, cgroup, cgroupDriver: 'systemd', fields: {} })['failCgroupV1'];
    expect([
      field('1.30.14', 'v1'),
      field('1.31.14', 'v1'),
      field('1.35.4', 'v1'),
      field('1.35.4', 'v2'),
    ]).toEqual([undefined, false, false, undefined]);
  });

  it('lets a knob replace a field of ours', () => {
    const kubelet = read('1.34.2', {
      fields: { singleProcessOOMKill: true, nodeLeaseDurationSeconds: 40 },
    })[2];
    expect(kubelet).toMatchObject({ singleProcessOOMKill: true, nodeLeaseDurationSeconds: 40 });
  });

  it.each([
    [{}, 'none'],
    [{ cgroup: 'v1' }, 'SystemVerification'],
    [{ ownKernel: false }, 'SystemVerification'],
    [{ containerd: '1.4.13~ds1' }, 'CRI'],
    [{ containerd: 'v1.5.11', cgroup: 'v1' }, 'SystemVerification,CRI'],
    [{ containerd: '1.10.1' }, 'none'],
    [{ containerd: 'v2.1.4' }, 'none'],
  ] as const)('ignores only checks that would refuse what the lab is for: %j gives %s', (node, ignored) => {
    const modern = { cgroup: 'v2', ownKernel: true, containerd: '1.6.20~ds1' } as const;
    expect(listIgnoredPreflight({ ...modern, ...node })).toBe(ignored);
  });

  it('refuses what is no Kubernetes version', () => {
    expect(() => minorOf('2.1')).toThrow(RangeError);
    expect(() => minorOf('1.x')).toThrow(RangeError);
  });
});

const patchesOf = (settings: Partial<PatchSettings>): Record<string, string> =>
  renderPatches({ kubernetes: '1.34.2', apiAddress: '10.0.2.15', guaranteed: false, ...settings });

describe('the patches of kubeadm', () => {
  it('make every container of the control plane Guaranteed, when asked to', () => {
    const patches = patchesOf({ guaranteed: true });
    for (const name of ['kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler']) {
      const { spec } = parse(patches[`${name}+strategic.yaml`] ?? '') as {
        spec: Record<string, { name: string; resources: { requests: object; limits: object } }[]>;
      };
      expect(spec['containers']?.map((container) => container.name)).toEqual([name]);
      for (const { resources } of [...(spec['containers'] ?? []), ...(spec['initContainers'] ?? [])]) {
        expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory']);
        expect(resources.limits).toEqual(resources.requests);
      }
    }
    expect(JSON.stringify(patchesOf({}))).not.toContain('limits');
  });

  it('let the kubelet kill no part of a slow control plane within the time of a cell, in every release', () => {
    for (const kubernetes of ['1.22.17', '1.36.3']) {
      for (const name of ['kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler']) {
        const patch = parse(patchesOf({ kubernetes })[`${name}+strategic.yaml`] ?? '') as Document;
        expect(patch['spec']?.['containers']).toMatchObject([
          { name, livenessProbe: { failureThreshold: 100 } },
        ]);
      }
    }
  });

  it('slow down the readiness probes that a release has, and add none', () => {
    const probed = (kubernetes: string): string[] =>
      Object.entries(patchesOf({ kubernetes })).flatMap(([file, text]) => {
        const { spec } = parse(text) as { spec: { containers?: { readinessProbe?: object }[] } };
        const [probe] = (spec.containers ?? []).map(({ readinessProbe }) => readinessProbe);
        return probe === undefined ? [] : [`${file.split('+')[0] ?? ''} ${JSON.stringify(probe)}`];
      });
    expect(probed('1.30.14')).toEqual(['kube-apiserver {"periodSeconds":10}']);
    expect(probed('1.31.14')).toEqual(['kube-apiserver {"periodSeconds":10}', 'etcd {"periodSeconds":10}']);
    expect(probed('1.34.2')).toEqual([
      'kube-apiserver {"periodSeconds":10}',
      'etcd {"periodSeconds":10}',
      'kube-scheduler {"periodSeconds":10}',
    ]);
  });

  it('let the controller manager wait for the API in every release', () => {
    for (const kubernetes of ['1.22.17', '1.36.3']) {
      const patch = parse(
        patchesOf({ kubernetes })['kube-controller-manager+strategic.yaml'] ?? '',
      ) as Document;
      expect(patch['spec']?.['initContainers']).toMatchObject([
        {
          imagePullPolicy: 'Never',
          command: expect.arrayContaining(['https://127.0.0.1:6443/healthz']) as unknown,
        },
      ]);
    }
  });

  it('change CoreDNS only in releases that patch addons', () => {
    const names = (kubernetes: string): string[] => Object.keys(patchesOf({ kubernetes }));
    expect(names('1.30.14')).not.toContain('corednsdeployment+strategic.yaml');
    expect(names('1.31.0')).toContain('corednsdeployment+strategic.yaml');
  });

  it('let CoreDNS ask the API server itself', () => {
    const patch = patchesOf({})['corednsdeployment+strategic.yaml'] ?? '';
    expect(parse(patch)).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                env: [
                  { name: 'KUBERNETES_SERVICE_HOST', value: '10.0.2.15' },
                  { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
                ],
              },
            ],
          },
        },
      },
    });
  });
});
