/** What changed in kubeadm between the releases that the lab knows, from 1.22 on. */

/** The minor number of a Kubernetes version: 34 for 1.34.2. */
export function minorOf(kubernetes: string): number {
  const minor = Number(/^1\.(\d+)(\.|$)/.exec(kubernetes)?.[1]);
  if (!Number.isInteger(minor)) throw new RangeError(`no Kubernetes version: "${kubernetes}"`);
  return minor;
}

/**
 * The kubeadm configuration API that a release knows and does not call deprecated.
 * Source: `cmd/kubeadm/app/util/config/common.go`: v1beta3 since 1.22 ("v1beta2 read-only"), v1beta4 since 1.31
 * ("v1beta3 read-only"); 1.36 still reads both.
 */
export function kubeadmApiVersion(kubernetes: string): 'v1beta3' | 'v1beta4' {
  return minorOf(kubernetes) >= 31 ? 'v1beta4' : 'v1beta3';
}

/**
 * Arguments of a program as the configuration API of a release writes them: a map, or since v1beta4 a list.
 * Source: `ExtraArgs` in `cmd/kubeadm/app/apis/kubeadm/v1beta3/types.go` and `v1beta4/types.go`.
 */
export function renderArguments(
  kubernetes: string,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | { name: string; value: string }[] {
  if (kubeadmApiVersion(kubernetes) === 'v1beta3') return values;
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/**
 * Whether kubeadm patches its CoreDNS deployment: since 1.31.0 (`knownTargets` in
 * `cmd/kubeadm/app/util/patches/patches.go`; absent in 1.30.14). Those of static pods are as old as v1beta3.
 */
export function knowsAddonPatches(kubernetes: string): boolean {
  return minorOf(kubernetes) >= 31;
}

/**
 * The static pods that kubeadm lets the kubelet ask for readiness, every second: `ReadinessProbe` in
 * `cmd/kubeadm/app/phases/controlplane/manifests.go` and `phases/etcd/local.go` of 1.22.17, 1.30.14, 1.31.14, 1.32.10
 * and 1.34.2.
 */
export function listReadinessProbes(kubernetes: string): readonly string[] {
  const minor = minorOf(kubernetes);
  return ['kube-apiserver', ...(minor >= 31 ? ['etcd'] : []), ...(minor >= 32 ? ['kube-scheduler'] : [])];
}

/**
 * Arguments with which a scheduler answers its API server, which asks whether it is healthy: since 1.23 on its secure port,
 * and in 1.22 still on the insecure one, which kubeadm closes. Source: `serversToValidate` in
 * `pkg/registry/core/rest/storage_core.go` of 1.22.17 and 1.23.17, and `cmd/kubeadm/app/phases/controlplane/manifests.go`.
 */
export function healthArgumentsOfScheduler(kubernetes: string): Readonly<Record<string, string>> {
  return minorOf(kubernetes) >= 23 ? {} : { address: '127.0.0.1', port: '10251' };
}

/**
 * Arguments with which an API server waits so long for etcd when it is asked whether it is live or ready, in place of 2 s.
 * Source: `AddFlags` in `pkg/server/options/etcd.go` of k8s.io/apiserver: the one for `livez` since 1.21, the one for
 * `readyz` since 1.25 (absent in 0.24.17).
 */
export function healthArgumentsOfApiServer(
  kubernetes: string,
  etcdAnswers: string,
): Readonly<Record<string, string>> {
  return {
    'etcd-healthcheck-timeout': etcdAnswers,
    ...(minorOf(kubernetes) >= 25 ? { 'etcd-readycheck-timeout': etcdAnswers } : {}),
  };
}

/** What decides which of kubeadm's preflight checks a node may fail. */
export interface PreflightNode {
  readonly cgroup: 'v1' | 'v2';
  /** Whether it boots the kernel of its own suite. */
  readonly ownKernel: boolean;
  /** As containerd prints it: `1.6.20~ds1`. */
  readonly containerd: string;
}

/**
 * Preflight checks of kubeadm that this node may fail, joined by commas, or `none`.
 *
 * `SystemVerification` judges whether kubeadm's authors support the system: since 1.35 it refuses cgroup v1
 * (`CgroupsValidator` of k8s.io/system-validators), and it wants the kernel's configuration file in the guest, which a
 * kernel from elsewhere need not bring. `CRI` is `crictl info` until 1.30, and crictl 1.26 speaks only CRI v1, which
 * containerd learnt with 1.6. What the lab needs of a node is checked by the lab itself, once it runs.
 */
export function listIgnoredPreflight(node: PreflightNode): string {
  const ignored = [
    ...(node.cgroup === 'v1' || !node.ownKernel ? ['SystemVerification'] : []),
    ...(isBefore16(node.containerd) ? ['CRI'] : []),
  ];
  return ignored.length === 0 ? 'none' : ignored.join(',');
}

/** Whether a containerd, as it prints its version, is older than 1.6. */
function isBefore16(version: string): boolean {
  return /^v?1\.[0-5]\./.test(version);
}
