import { stringify } from 'yaml';
import { WORKLOADS_IMAGE } from '../image/container-images.ts';
import { knowsAddonPatches, listReadinessProbes } from './releases.ts';

/** Where the patches of `renderPatches` are in the guest. */
export const PATCHES_DIR = '/etc/kubernetes/patches';

/** What the patches depend on. */
export interface PatchSettings {
  /** Exact version without `v`: 1.34.2. */
  readonly kubernetes: string;
  /** Where the API server listens, reachable from every pod. */
  readonly apiAddress: string;
  /** Whether the control plane is kept out of the cgroups of the QoS classes. */
  readonly guaranteed: boolean;
}

/** Files for kubeadm's patch folder by name; kubeadm applies them to what it is about to create. */
export function renderPatches(settings: PatchSettings): Record<string, string> {
  const { kubernetes, apiAddress, guaranteed } = settings;
  const probed = listReadinessProbes(kubernetes);
  const patches = Object.keys(MEMORY).map((name): [string, string] => {
    const container = {
      ...(guaranteed ? limitsOf(name) : {}),
      livenessProbe: { failureThreshold: LIVENESS_FAILURES },
      ...(probed.includes(name) ? { readinessProbe: { periodSeconds: READINESS_SECONDS } } : {}),
    };
    const initContainers = name === CONTROLLER_MANAGER ? awaitApi(guaranteed) : {};
    return [
      patchFile(name),
      stringify({ spec: { containers: [{ name, ...container }], ...initContainers } }),
    ];
  });
  return {
    ...Object.fromEntries(patches),
    ...(knowsAddonPatches(kubernetes)
      ? { 'corednsdeployment+strategic.yaml': stringify(oneQuickReplica(apiAddress)) }
      : {}),
  };
}

function patchFile(component: string): string {
  return `${component}+strategic.yaml`;
}

const CONTROLLER_MANAGER = 'kube-controller-manager';

/**
 * Nothing needs the readiness of static pods. kubeadm lets the kubelet probe it every second, with a TLS handshake
 * each time: a third of the load of an idle emulated node.
 */
const READINESS_SECONDS = 10;

/**
 * A control plane that is slow is not killed for it. kubeadm lets the kubelet end a static pod after 8 failed probes, 10 s
 * apart. An emulated node on a busy host was seen to answer none of them in time. The death of its API server then spoilt
 * what was measured, and made it slower still. A hundred take longer than any cell; one that hangs for good is still ended.
 */
const LIVENESS_FAILURES = 100;

/** Memory of each static pod when it is Guaranteed: well above what it uses on one node. */
const MEMORY: Readonly<Record<string, string>> = {
  'kube-apiserver': '900Mi',
  etcd: '400Mi',
  [CONTROLLER_MANAGER]: '400Mi',
  'kube-scheduler': '250Mi',
};

/**
 * Requests that equal the limits make a pod Guaranteed: its cgroup is in kubepods.slice itself, in which the kubelet
 * keeps every controller. The CPU limit is not enforced: the kubelet is configured so (`cpuCFSQuota`, `planWorld`).
 */
function limitsOf(component: string): { readonly resources: object } {
  const amounts = { cpu: '100m', memory: MEMORY[component] ?? '' };
  return { resources: { requests: amounts, limits: amounts } };
}

/**
 * The controller manager starts once the API is healthy. It gives up ten seconds after its own start when the API is
 * not (`WaitForAPIServer` in `cmd/kube-controller-manager/app/controllermanager.go`, 1.22 to 1.37), which under
 * emulation is always the case. The kubelet starts it again after a pause, and the whole cluster comes up later.
 */
function awaitApi(guaranteed: boolean): object {
  return {
    initContainers: [
      {
        name: 'await-api',
        ...(guaranteed ? limitsOf(CONTROLLER_MANAGER) : {}),
        image: WORKLOADS_IMAGE,
        imagePullPolicy: 'Never',
        command: ['/bin/await-api', '--wait', '10m', 'https://127.0.0.1:6443/healthz'],
      },
    ],
  };
}

/**
 * A second replica on the same node has no use. A readiness probe every ten seconds delays a new cluster by up to ten
 * seconds. CoreDNS asks the API server itself, not its service: a connection that it opens before kube-proxy has
 * written its rules is lost without an answer, and only a timeout later there is another one.
 */
function oneQuickReplica(apiAddress: string): unknown {
  const readinessProbe = { periodSeconds: 1, failureThreshold: 30 };
  const env = [
    { name: 'KUBERNETES_SERVICE_HOST', value: apiAddress },
    { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
  ];
  const containers = [{ name: 'coredns', env, readinessProbe }];
  return { spec: { replicas: 1, template: { spec: { containers } } } };
}
