import { stringify } from 'yaml';

/** What `kubeadm init` of one world needs to know. */
export interface KubeadmConfigInput {
  /** Exact version without `v`: 1.34.2. */
  readonly kubernetes: string;
  readonly nodeName: string;
  /** Address of the node on its own network. */
  readonly nodeAddress: string;
  readonly podSubnet: string;
  /** Names under which the API is reached from the host. */
  readonly extraSans: readonly string[];
  /** kubelet's cgroup driver. */
  readonly cgroupDriver: 'systemd' | 'cgroupfs';
  readonly etcdDataDir: string;
}

/** The pod network of one world; node N of it gets 10.244.<N-1>.0/24. */
export const POD_SUBNET = '10.244.0.0/16';
/** The address that QEMU's user-mode network gives to a guest. */
export const NODE_ADDRESS = '10.0.2.15';

/**
 * The kubeadm configuration API a release knows.
 * Source: kubeadm's `cmd/kubeadm/app/apis/kubeadm`: v1beta4 since 1.31, v1beta3 since 1.22.
 */
export function kubeadmApiVersion(kubernetes: string): 'v1beta3' | 'v1beta4' {
  const minor = Number(kubernetes.split('.')[1]);
  return minor >= 31 ? 'v1beta4' : 'v1beta3';
}

/** Where the patches of `renderPatches` lie in the guest. */
export const PATCHES_DIR = '/etc/kubernetes/patches';

/** kubeadm patches its CoreDNS deployment since 1.32 (`cmd/kubeadm/app/util/patches`). */
function knowsAddonPatches(kubernetes: string): boolean {
  return Number(kubernetes.split('.')[1]) >= 32;
}

/**
 * Files for kubeadm's patch folder by name: one CoreDNS replica, looked at every second. Two replicas on one node
 * serve nobody, and a look every ten seconds costs a new cluster up to ten.
 */
export function renderPatches(kubernetes: string): Record<string, string> {
  if (!knowsAddonPatches(kubernetes)) return {};
  const readinessProbe = { periodSeconds: 1, failureThreshold: 30 };
  const containers = [{ name: 'coredns', readinessProbe }];
  return {
    'corednsdeployment+strategic.yaml': stringify({
      spec: { replicas: 1, template: { spec: { containers } } },
    }),
  };
}

/** Renders the configuration file for `kubeadm init`. */
export function renderKubeadmConfig(input: KubeadmConfigInput): string {
  const api = kubeadmApiVersion(input.kubernetes);
  const args = (values: Record<string, string>): unknown =>
    api === 'v1beta4' ? Object.entries(values).map(([name, value]) => ({ name, value })) : values;
  const init = {
    apiVersion: `kubeadm.k8s.io/${api}`,
    kind: 'InitConfiguration',
    localAPIEndpoint: { advertiseAddress: input.nodeAddress, bindPort: 6443 },
    nodeRegistration: {
      name: input.nodeName,
      criSocket: 'unix:///run/containerd/containerd.sock',
      imagePullPolicy: 'Never',
      taints: [],
      // From level 2 on kubelet writes down which container it saw die: its own word about a death.
      kubeletExtraArgs: args({ 'node-ip': input.nodeAddress, v: '2' }),
    },
    // It only lets the kubelet renew its certificate (good for a year), and restarts the kubelet for that in the
    // middle of the start of the first pods.
    skipPhases: ['kubelet-finalize'],
    ...(knowsAddonPatches(input.kubernetes) ? { patches: { directory: PATCHES_DIR } } : {}),
    ...(api === 'v1beta4'
      ? { timeouts: { controlPlaneComponentHealthCheck: '8m0s', kubernetesAPICall: '2m0s' } }
      : {}),
  };
  const cluster = {
    apiVersion: `kubeadm.k8s.io/${api}`,
    kind: 'ClusterConfiguration',
    kubernetesVersion: `v${input.kubernetes}`,
    clusterName: 'whodunit',
    networking: { podSubnet: input.podSubnet, serviceSubnet: '10.96.0.0/16', dnsDomain: 'cluster.local' },
    apiServer: { certSANs: [...input.extraSans] },
    // One of each: an election could only be lost, when an emulated node is slow for ten seconds.
    controllerManager: { extraArgs: args({ 'leader-elect': 'false' }) },
    scheduler: { extraArgs: args({ 'leader-elect': 'false' }) },
    etcd: { local: { dataDir: input.etcdDataDir, extraArgs: args({ 'unsafe-no-fsync': 'true' }) } },
  };
  const kubelet = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: input.cgroupDriver,
    // A world is restored and stepped forward in time: nothing may be rotated or collected behind our back.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '5%', 'nodefs.inodesFree': '5%' },
    rotateCertificates: false,
    // The lease is renewed at a quarter of this: every 2 s, so that a restored world proves soon that it lives.
    nodeLeaseDurationSeconds: 8,
  };
  const proxy = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
  };
  return [init, cluster, kubelet, proxy].map((document) => stringify(document)).join('---\n');
}
