import { apiErrorText, isNotFound, type Kubernetes } from '../drivers/kubernetes.ts';
import type { Guest, Host, Look } from '../model/host.ts';
import { clusterProbes } from '../../provision/probes/node-probes.ts';
import { lookAtProbe, type Probe } from '../../provision/probes/probe.ts';
import { POD_SUBNET } from '../../provision/kubeadm/config.ts';
import { lookAtNode } from './health-gate.ts';

const READY_TIMEOUT_MS = 6 * 60_000;
/** Each look is a TLS handshake that an emulated guest, busy with starting, pays for. */
const LOOK_MS = 1_500;
const DNS_POD = 'whodunit-dns-probe';

/** Waits until a probe holds; a probe that is not fatal is noted and passed over. */
export async function waitForProbe(host: Host, guest: Guest, probe: Probe, log?: string): Promise<void> {
  try {
    await host.waitFor(() => lookAtProbe(guest, probe), {
      name: `${guest.name}: ${probe.description}`,
      timeoutMs: probe.timeoutMs,
      intervalMs: 1000,
      tryNext: probe.hint,
      ...(log === undefined ? {} : { log }),
    });
  } catch (error) {
    if (probe.fatal) throw error;
    host.progress.note(`${guest.name}: ${probe.name} does not hold: ${(error as Error).message}`);
  }
}

/**
 * Waits until the cluster really works: nodes Ready, kube-proxy and CoreDNS running, and a pod that resolves
 * `kubernetes.default` through them.
 */
export async function waitForCluster(
  host: Host,
  kubernetes: Kubernetes,
  guests: readonly Guest[],
  log: string,
): Promise<void> {
  const tryNext = 'npm run lab up -- --keep, then look inside with `npm run lab shell`';
  // Everything starts at once and is awaited together: the resolving pod asks until DNS answers.
  const resolved = resolveFromPod(host, kubernetes, log);
  const nodes = guests.map((guest) =>
    host.waitFor(() => lookAtNode(kubernetes, guest.name), {
      name: `${guest.name} to become Ready`,
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: LOOK_MS,
      tryNext,
      log,
    }),
  );
  const services = ['k8s-app=kube-proxy', 'k8s-app=kube-dns'].map((selector) =>
    host.waitFor(() => lookAtSystemPods(kubernetes, selector), {
      name: `the pods of kube-system with ${selector} to be ready`,
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: LOOK_MS,
      tryNext,
      log,
    }),
  );
  const probes = guests.flatMap((guest) =>
    clusterProbes(POD_SUBNET).map((probe) => waitForProbe(host, guest, probe, log)),
  );
  await Promise.all([resolved, ...nodes, ...services, ...probes]);
}

async function lookAtSystemPods(kubernetes: Kubernetes, selector: string): Promise<Look<true>> {
  try {
    const pods = await kubernetes.core.listNamespacedPod({
      namespace: 'kube-system',
      labelSelector: selector,
    });
    const states = pods.items.map((pod) => {
      const ready = pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
      const waiting = pod.status?.containerStatuses?.find((c) => c.state?.waiting !== undefined)?.state
        ?.waiting;
      return {
        name: pod.metadata?.name ?? '',
        ready,
        why: waiting?.reason ?? pod.status?.phase ?? 'unknown',
      };
    });
    if (states.length > 0 && states.every((state) => state.ready)) return { done: true, value: true };
    const seen = states.map((state) => `${state.name} ${state.ready ? 'ready' : state.why}`).join(', ');
    const missing = states.some((state) => state.why === 'ErrImageNeverPull' || state.why === 'ErrImagePull');
    return { done: false, seen: seen || 'no such pods', ...(missing ? { impossible: true } : {}) };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Runs a pod that resolves the API's service name, and removes it. */
async function resolveFromPod(host: Host, kubernetes: Kubernetes, log: string): Promise<void> {
  // Admission wants the account; the controller manager creates it some seconds after the API answers.
  await host.waitFor(
    () =>
      lookFor(() => kubernetes.core.readNamespacedServiceAccount({ namespace: 'default', name: 'default' })),
    { name: 'the default service account', timeoutMs: READY_TIMEOUT_MS, intervalMs: LOOK_MS, log },
  );
  await kubernetes.core.createNamespacedPod({
    namespace: 'default',
    body: {
      metadata: { name: DNS_POD },
      spec: {
        restartPolicy: 'OnFailure',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'resolve',
            image: 'whodunit.local/workloads:1',
            imagePullPolicy: 'Never',
            command: [
              '/bin/resolve',
              '--timeout',
              '2s',
              '--wait',
              '5m',
              'kubernetes.default.svc.cluster.local',
            ],
          },
        ],
      },
    },
  });
  await host.waitFor(
    async (): Promise<Look<true>> => {
      // Its log shows the answer some seconds before the pod's phase does.
      const log = await readLog(kubernetes);
      if (/^\d+(\.\d+){3}$/m.test(log)) return { done: true, value: true };
      const pod = await kubernetes.core.readNamespacedPod({ namespace: 'default', name: DNS_POD });
      const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '';
      const seen = `${pod.status?.phase ?? 'unknown'} ${waiting} ${log.trim()}`.trim();
      return { done: false, seen, impossible: waiting === 'ErrImageNeverPull' };
    },
    { name: 'a pod to resolve kubernetes.default', timeoutMs: READY_TIMEOUT_MS, intervalMs: LOOK_MS, log },
  );
  await kubernetes.core.deleteNamespacedPod({ namespace: 'default', name: DNS_POD, gracePeriodSeconds: 0 });
  await host.waitFor(
    async (): Promise<Look<true>> => {
      const pod = await lookFor(() =>
        kubernetes.core.readNamespacedPod({ namespace: 'default', name: DNS_POD }),
      );
      return pod.done ? { done: false, seen: 'still there' } : { done: true, value: true };
    },
    { name: 'the resolving pod to be gone', timeoutMs: 60_000, log },
  );
}

/**
 * What the resolving pod has printed; empty before its container has started, which the API answers with 400. Read
 * raw: the client cannot parse a log that is still empty, as the API sends it without a content type.
 */
async function readLog(kubernetes: Kubernetes): Promise<string> {
  const { status, text } = await kubernetes.get(`/api/v1/namespaces/default/pods/${DNS_POD}/log`);
  if (status === 200) return text;
  return status === 400 ? '' : `HTTP ${status}: ${text}`;
}

/** Whether an object exists; any other answer than "no such object" is an error. */
async function lookFor(read: () => Promise<unknown>): Promise<Look<true>> {
  try {
    await read();
    return { done: true, value: true };
  } catch (error) {
    if (isNotFound(error)) return { done: false, seen: 'no such object yet' };
    throw error;
  }
}

/** Turns the guest's admin.conf into one that reaches the API from the host. */
export function forwardKubeconfig(adminConf: string, apiPort: number): string {
  return adminConf.replace(/server: https:\/\/\S+/, `server: https://127.0.0.1:${apiPort}`);
}
