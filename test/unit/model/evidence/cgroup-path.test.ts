/** Paths have the form of public reports, each named where it is used; uids and ids are our own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isOfContainer,
  isOfPod,
  isPartOf,
  levelOfLimit,
  parseCgroupPath,
  type CgroupPath,
} from '../../../../lab/model/evidence/cgroup-path.ts';

const ID = '5f3c9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1a02';
const NODE = '88ea268ece65a02d68b169fd74bcbcb427eb7f28900db0e3b906fb2eeb7341df';
const UID = '6f1d2c3b-4a59-4687-9a0b-1c2d3e4f5a6b';
const SLICED = UID.replaceAll('-', '_');
const HASH = '36b6d6be73b1065af369b3985edafa09';
const QOS_SLICE = '/kubepods.slice/kubepods-burstable.slice';
const POD_SLICE = `${QOS_SLICE}/kubepods-burstable-pod${SLICED}.slice`;
const KIND_SLICE = `kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod${SLICED}.slice`;

const NOTHING: CgroupPath = {
  level: undefined,
  podUid: undefined,
  containerId: undefined,
  isHelper: false,
  nodePrefix: '',
  subPath: '',
  aroundNode: false,
};
const POD: CgroupPath = { ...NOTHING, level: 'pod', podUid: UID };
const CONTAINER: CgroupPath = { ...POD, level: 'container', containerId: ID };

describe('the path of a cgroup', () => {
  it.each<[string, string, CgroupPath]>([
    // https://github.com/netdata/netdata/issues/4868
    ['systemd, containerd', `${POD_SLICE}/cri-containerd-${ID}.scope`, CONTAINER],
    // https://github.com/opencontainers/runc/issues/4620
    ['systemd, CRI-O', `${POD_SLICE}/crio-${ID}.scope`, CONTAINER],
    // https://github.com/istio/istio/issues/42734
    ['systemd, Docker', `${POD_SLICE}/docker-${ID}.scope`, CONTAINER],
    // https://github.com/kubernetes/kubernetes/issues/56891
    ['cgroupfs, guaranteed', `/kubepods/pod${UID}/${ID}`, CONTAINER],
    // https://github.com/sustainable-computing-io/kepler/pull/684
    ['cgroupfs, burstable', `/kubepods/burstable/pod${UID}/${ID}`, CONTAINER],
    // https://github.com/containers/crun/pull/305
    [
      'below a scope of crun',
      `${POD_SLICE}/crio-${ID}.scope/container`,
      { ...CONTAINER, subPath: '/container' },
    ],
    // A 3.10 kernel's memory statistics of a container that made a cgroup of its own.
    ['below a container', `/kubepods/burstable/pod${UID}/${ID}/agent`, { ...CONTAINER, subPath: '/agent' }],
    // https://github.com/opencontainers/runc/issues/4620
    [
      "CRI-O's monitor",
      `${POD_SLICE}/crio-conmon-${ID}.scope`,
      { ...CONTAINER, level: undefined, isHelper: true },
    ],
    [
      "CRI-O's monitor, cgroupfs",
      `/kubepods/burstable/pod${UID}/crio-conmon-${ID}`,
      { ...CONTAINER, level: undefined, isHelper: true },
    ],
    [
      "CRI-O's monitor outside of the pod",
      `/system.slice/crio-conmon-${ID}.scope`,
      { ...NOTHING, containerId: ID, isHelper: true },
    ],
    ['a pod', POD_SLICE, POD],
    ['a pod, guaranteed', `/kubepods.slice/kubepods-pod${SLICED}.slice`, POD],
    ['a pod, cgroupfs', `/kubepods/besteffort/pod${UID}`, POD],
    // https://github.com/netdata/netdata/issues/3369
    ['a static pod', `/kubepods/burstable/pod${HASH}`, { ...POD, podUid: HASH }],
    [
      'what is in a pod and no container',
      `/kubepods/pod${UID}/kata_overhead`,
      { ...POD, level: undefined, subPath: '/kata_overhead' },
    ],
    ['a class', QOS_SLICE, { ...NOTHING, level: 'qos' }],
    ['a class, cgroupfs', '/kubepods/besteffort', { ...NOTHING, level: 'qos' }],
    ['all pods', '/kubepods', { ...NOTHING, level: 'qos' }],
    ['the node', '/', { ...NOTHING, level: 'node' }],
    ['the node, without a name', '', { ...NOTHING, level: 'node' }],
    ['a service', '/system.slice/kubelet.service', NOTHING],
    // https://github.com/awslabs/amazon-eks-ami/pull/419
    ['a slice for the kubelet', '/podruntime.slice/kubelet.service', NOTHING],
  ])('%s', (_, path, wanted) => {
    expect(parseCgroupPath(path)).toEqual(wanted);
  });

  it.each<[string, string, CgroupPath]>([
    // https://github.com/kubernetes/kubernetes/issues/106514
    [
      'v1, of a static pod',
      `/system.slice/containerd.service/kubepods-burstable-pod${HASH}.slice:cri-containerd:${ID}`,
      { ...CONTAINER, podUid: HASH },
    ],
    ['v2', `/system.slice/kubepods-burstable-pod${SLICED}.slice:cri-containerd:${ID}`, CONTAINER],
    ['CRI-O', `/system.slice/kubepods-pod${SLICED}.slice:crio:${ID}`, CONTAINER],
    // The form of https://github.com/kubernetes/kubernetes/issues/36807
    ['Docker', `/system.slice/docker.service/kubepods-burstable-pod${SLICED}.slice/${ID}`, CONTAINER],
    [
      'in a node that is a container',
      `/docker/${NODE}/system.slice/kubelet-kubepods-burstable-pod${SLICED}.slice:cri-containerd:${ID}`,
      { ...CONTAINER, nodePrefix: `/docker/${NODE}` },
    ],
    // https://github.com/containerd/cri/pull/290
    [
      'no parent at all',
      `/system.slice/system-getty.slice/cri-containerd-${ID}.scope`,
      { ...CONTAINER, podUid: undefined, nodePrefix: '/system.slice/system-getty.slice' },
    ],
    ['no parent at all, cgroupfs', `/k8s.io/${ID}`, { ...CONTAINER, podUid: undefined }],
  ])('where kubelet and runtime disagree: %s', (_, path, wanted) => {
    expect(parseCgroupPath(path)).toEqual(wanted);
  });

  it.each<[string, string, string]>([
    // kind, cgroupfs, from the host
    [`/docker/${NODE}/kubelet`, `/kubepods/burstable/pod${UID}/${ID}`, ID],
    [`/system.slice/docker-${NODE}.scope/kubelet`, `/kubepods/burstable/pod${UID}/${ID}`, ID],
    // kind, systemd, from inside: https://github.com/containerd/nri/pull/227
    ['/kubelet.slice', `/${KIND_SLICE}/cri-containerd-${ID}.scope`, ID],
    [`/system.slice/docker-${NODE}.scope/kubelet.slice`, `/${KIND_SLICE}/cri-containerd-${ID}.scope`, ID],
    // minikube with CRI-O: https://github.com/kubernetes/minikube/issues/11280
    [`/docker/${NODE}`, `${POD_SLICE}/crio-${ID}.scope`, ID],
    // https://github.com/leptonai/gpud/pull/70
    ['/lxc.payload.worker-lxc', `${POD_SLICE}/cri-containerd-${ID}.scope`, ID],
    ['/lxc/101/ns', `/kubepods/besteffort/pod${UID}/${ID}`, ID],
    ['/machine.slice/libpod-' + NODE + '.scope/container', `/kubepods/pod${UID}/${ID}`, ID],
  ])('in a node that is a container at %s', (nodePrefix, path) => {
    expect(parseCgroupPath(nodePrefix + path)).toEqual({ ...CONTAINER, nodePrefix });
    const pod = path.slice(0, path.lastIndexOf('/'));
    expect(parseCgroupPath(nodePrefix + pod)).toEqual({ ...POD, nodePrefix });
  });

  it('without its parents is known by the name of the slice', () => {
    const names = KIND_SLICE.split('/').slice(1).join('/');
    expect(parseCgroupPath(`${names}/cri-containerd-${ID}.scope`)).toEqual(CONTAINER);
  });

  it.each([
    `/docker/${NODE}`,
    `/docker/${NODE}/kubelet`,
    // https://github.com/dyrnq/install-docker/issues/14
    `/system.slice/docker-${NODE}.scope`,
    `/system.slice/docker-${NODE}.scope/kubelet.slice`,
    // https://github.com/podman-container-tools/podman/issues/20765
    `/machine.slice/machine-libpod_pod_${NODE}.slice/libpod-${NODE}.scope/container`,
    '/lxc.payload.worker-lxc',
    '/lxc.payload/worker',
    '/lxc/101/ns',
    '/machine.slice/machine-qemu-1-node.scope',
  ])('of a container that may be a node is at no level: %s', (path) => {
    expect(parseCgroupPath(path)).toEqual({ ...NOTHING, aroundNode: true, nodePrefix: path });
    expect(parseCgroupPath(`${path}/system.slice/a.service`)).toEqual({
      ...NOTHING,
      nodePrefix: path,
      subPath: '/system.slice/a.service',
    });
  });

  it('in a container of a pod that is a node itself names two pods', () => {
    // https://github.com/rancher/k3k/pull/792, https://github.com/kubernetes/kubernetes/issues/95488
    const outer = '00000000-3dc9-4db2-a842-e464f797527a';
    const above = `/kubepods/burstable/pod${outer}/${NODE}`;
    const path = `${above}/kubepods/burstable/pod${UID}/${ID}`;
    const outside = { ...CONTAINER, podUid: outer, containerId: NODE };
    expect(parseCgroupPath(path)).toEqual({ ...outside, subPath: path.slice(above.length) });
    expect(parseCgroupPath(path, UID)).toEqual({ ...CONTAINER, nodePrefix: above });
    expect(parseCgroupPath(`${above}/kubepods`)).toEqual({ ...outside, subPath: '/kubepods' });
    for (const uid of [UID, outer]) expect(isOfPod(path, uid)).toBe(true);
    for (const id of [ID, NODE]) expect(isOfContainer(path, id)).toBe(true);
  });

  it('is read whatever it holds', () => {
    const word = fc.constantFrom('kubepods', 'kubepods.slice', `pod${UID}`, ID, '', 'x', POD_SLICE, 'docker');
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 8 }), (words) => {
        const found = parseCgroupPath(words.join('/'), UID);
        expect(found.containerId === undefined && found.level === 'container').toBe(false);
      }),
    );
  });
});

describe('a pod and its containers', () => {
  const path = `${POD_SLICE}/cri-containerd-${ID}.scope`;

  it('are found by their whole ids', () => {
    expect(isOfPod(path, UID) && isOfPod(path, SLICED) && isOfPod(POD_SLICE, UID)).toBe(true);
    expect(isOfContainer(path, ID) && isOfContainer(`${path}/init.scope`, ID)).toBe(true);
    for (const uid of ['', '6f1d2c3b', UID.slice(0, -1), `${UID}0`]) expect(isOfPod(path, uid)).toBe(false);
    for (const id of ['', ID.slice(0, 12), NODE]) expect(isOfContainer(path, id)).toBe(false);
  });

  it('do not hold what only has their ids in its name', () => {
    expect(isOfPod(`/system.slice/var-lib-kubelet-pods-${UID}.mount`, UID)).toBe(false);
    expect(isOfContainer(`${POD_SLICE}/crio-conmon-${ID}.scope`, ID)).toBe(false);
    expect(isOfPod(`${POD_SLICE}/crio-conmon-${ID}.scope`, UID)).toBe(true);
    expect(isOfContainer(`/docker/${ID}`, ID)).toBe(false);
    expect(isOfContainer(POD_SLICE, ID)).toBe(false);
  });
});

describe('the level of a limit', () => {
  const own = `${POD_SLICE}/cri-containerd-${ID}.scope`;

  it.each([
    ['the cgroup of the container', own, 'container'],
    ['the same with the cgroup that crun adds', `${own}/container`, 'container'],
    ['a service inside of the container', `${own}/system.slice/job.service`, undefined],
    [
      'a pod of a cluster inside of the container',
      `${own}/kubelet.slice/${KIND_SLICE.replaceAll(SLICED, 'a1')}`,
      undefined,
    ],
    ['the pod', POD_SLICE, 'pod'],
    ['all burstable pods', QOS_SLICE, 'qos'],
    ['the node', '/', 'node'],
    ['a pod of a node that is a container', `/docker/${NODE}/kubelet.slice/${KIND_SLICE}`, 'pod'],
  ])('of %s', (_, path, level) => {
    expect(levelOfLimit(path, [UID])).toBe(level);
  });
});

describe('a part of a cgroup', () => {
  const own = `${POD_SLICE}/cri-containerd-${ID}.scope`;
  const inside = `/kubelet.slice/${KIND_SLICE}/cri-containerd-${ID}.scope`;

  it.each([
    ['the cgroup itself', own, own, true],
    ['one below it', `${own}/init.scope`, own, true],
    ['one below the pod', own, POD_SLICE, true],
    ['any, of the root', own, '/', true],
    ['one above it', POD_SLICE, own, false],
    ['one with the same beginning', `${own}2`, own, false],
    ['one that the kernel names with the place of the node', inside, `/docker/${NODE}${inside}`, true],
    ['a sibling', own, `${POD_SLICE}/cri-containerd-${NODE}.scope`, false],
  ])('is %s', (_, path, above, expected) => {
    expect(isPartOf(path, above)).toBe(expected);
  });
});
