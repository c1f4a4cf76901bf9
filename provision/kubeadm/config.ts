import { stringify } from 'yaml';
import {
  flagsOf,
  type ControlPlaneField,
  type NodeSettings,
} from '../../lab/model/declared/node-settings.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { formatGoDuration } from '../../lab/model/text/format-duration.ts';
import { planKubelet, type KubeletSettings } from './kubelet.ts';
import { PATCHES_DIR } from './patches.ts';
import {
  healthArgumentsOfApiServer,
  healthArgumentsOfScheduler,
  kubeadmApiVersion,
  renderArguments,
} from './releases.ts';

/** What `kubeadm init` of one world needs to know. */
export interface KubeadmConfigInput extends KubeletSettings {
  readonly nodeName: string;
  /** Address of the node on the network of the nodes. */
  readonly nodeAddress: string;
  readonly podSubnet: string;
  /** Names under which the API is reached from the host. */
  readonly extraSans: readonly string[];
  /** What the knobs of the variant set of the programs of the control plane. */
  readonly controlPlane?: Pick<NodeSettings, ControlPlaneField>;
}

/** The pod network of one world; node N of it gets 10.244.<N-1>.0/24. */
export const POD_SUBNET = '10.244.0.0/16';
/** The address that QEMU's user-mode network gives to a guest. */
export const NODE_ADDRESS = '10.0.2.15';

/**
 * Arguments of every node's kubelet beyond its configuration. From level 2 on it logs which container it saw die: its
 * own claim about a death.
 */
export function kubeletArguments(nodeAddress: string): Record<string, string> {
  return { 'node-ip': nodeAddress, v: '2' };
}

/** Longest time that kubeadm may wait for the control plane, which an emulated node takes minutes to start. */
const CONTROL_PLANE_TIMEOUT = formatGoDuration(TIME_LIMITS.cluster.controlPlane.ms);

/** Longest time that the API server waits for etcd when it is asked for its health: less than any that asks it waits. */
const ETCD_ANSWERS = formatGoDuration(TIME_LIMITS.cluster.etcdAnswers.ms);

/**
 * Renders the configuration file for `kubeadm init` of any release from 1.22 on.
 * Source of the fields: `cmd/kubeadm/app/apis/kubeadm/v1beta3/types.go` (1.22) and `v1beta4/types.go` (1.31).
 */
export function renderKubeadmConfig(input: KubeadmConfigInput): string {
  return [renderInit(input), renderCluster(input), planKubelet(input), renderProxy()]
    .map((document) => stringify(document))
    .join('---\n');
}

function renderInit(input: KubeadmConfigInput): unknown {
  const { kubernetes } = input;
  const api = kubeadmApiVersion(kubernetes);
  return {
    apiVersion: `kubeadm.k8s.io/${api}`,
    kind: 'InitConfiguration',
    localAPIEndpoint: { advertiseAddress: input.nodeAddress, bindPort: 6443 },
    nodeRegistration: {
      name: input.nodeName,
      // 1.22 and 1.23 derive `--container-runtime=remote` from this (`phases/kubelet/flags.go`).
      criSocket: 'unix:///run/containerd/containerd.sock',
      imagePullPolicy: 'Never',
      // Empty, not absent: absent means the taint `control-plane`, `master`, or both, depending on the release.
      taints: [],
      kubeletExtraArgs: renderArguments(kubernetes, kubeletArguments(input.nodeAddress)),
    },
    // The phase lets the kubelet renew its certificate, which is good for a year. For that it restarts the kubelet
    // while the first pods start.
    skipPhases: ['kubelet-finalize'],
    patches: { directory: PATCHES_DIR },
    ...(api === 'v1beta4'
      ? {
          timeouts: {
            controlPlaneComponentHealthCheck: CONTROL_PLANE_TIMEOUT,
            kubernetesAPICall: formatGoDuration(TIME_LIMITS.cluster.kubeadmApiCall.ms),
          },
        }
      : {}),
  };
}

function renderCluster(input: KubeadmConfigInput): unknown {
  const { kubernetes } = input;
  const api = kubeadmApiVersion(kubernetes);
  // There is one of each: it needs no election, which it could lose when an emulated node is slow for ten seconds.
  const single = (field: ControlPlaneField, ofRelease: Readonly<Record<string, string>>): object => ({
    extraArgs: renderArguments(kubernetes, {
      'leader-elect': 'false',
      ...ofRelease,
      ...flagsOf(input.controlPlane?.[field]),
    }),
  });
  const ofApiServer = {
    ...healthArgumentsOfApiServer(kubernetes, ETCD_ANSWERS),
    ...flagsOf(input.controlPlane?.apiServer),
  };
  return {
    apiVersion: `kubeadm.k8s.io/${api}`,
    kind: 'ClusterConfiguration',
    kubernetesVersion: `v${kubernetes}`,
    clusterName: 'whodunit',
    // With RSA an emulated machine needs seconds for a key, and all handshakes together take as long.
    ...(api === 'v1beta4' ? { encryptionAlgorithm: 'ECDSA-P256' } : {}),
    networking: { podSubnet: input.podSubnet, serviceSubnet: '10.96.0.0/16', dnsDomain: 'cluster.local' },
    apiServer: {
      extraArgs: renderArguments(kubernetes, ofApiServer),
      certSANs: [...input.extraSans],
      ...(api === 'v1beta3' ? { timeoutForControlPlane: CONTROL_PLANE_TIMEOUT } : {}),
    },
    controllerManager: single('controllerManager', {}),
    scheduler: single('scheduler', healthArgumentsOfScheduler(kubernetes)),
    // Every etcd that kubeadm starts since 1.22 is 3.5 or newer and knows the flag (`server/embed/config.go`).
    etcd: {
      local: {
        dataDir: '/var/lib/etcd',
        extraArgs: renderArguments(kubernetes, { 'unsafe-no-fsync': 'true' }),
      },
    },
  };
}

function renderProxy(): unknown {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
  };
}
