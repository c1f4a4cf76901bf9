import { apiErrorText, type Kubernetes } from '../drivers/kubernetes.ts';
import type { Guest, Host, Look } from '../model/host.ts';
import { clusterProbes } from '../../provision/probes/node-probes.ts';
import { lookAtProbe, type Probe } from '../../provision/probes/probe.ts';
import { POD_SUBNET } from '../../provision/kubeadm/config.ts';
import { lookAtNode } from './health-gate.ts';
import { resolveFromPod } from './resolving-pod.ts';

const READY_TIMEOUT_MS = 6 * 60_000;
/** An emulated guest, busy with starting, pays for each look. */
const LOOK_MS = 1_000;

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
 * Waits until the cluster really works: nodes Ready, kube-proxy on each and CoreDNS running, and a pod on each node that
 * resolves `kubernetes.default` through them. CoreDNS runs on the first node (`join-workers.ts`), so the answer to a pod
 * of another node has gone from pod to pod across the network between the nodes, and back.
 */
export async function waitForCluster(
  host: Host,
  kubernetes: Kubernetes,
  guests: readonly Guest[],
  log: string,
): Promise<void> {
  const tryNext = 'npm run lab up -- --keep, then look inside with `npm run lab shell`';
  // Everything starts at once and is awaited together: the resolving pod asks until DNS answers.
  const resolved = guests.map((guest) => resolveFromPod(host, kubernetes, guest.name, log));
  const nodes = guests.map((guest) =>
    host.waitFor(() => lookAtNode(kubernetes, guest.name), {
      name: `${guest.name} to become Ready`,
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: LOOK_MS,
      tryNext,
      log,
    }),
  );
  const services = [
    { selector: 'k8s-app=kube-proxy', count: guests.length },
    { selector: 'k8s-app=kube-dns', count: 1 },
  ].map(({ selector, count }) =>
    host.waitFor(() => lookAtSystemPods(kubernetes, selector, count), {
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
  await Promise.all([...resolved, ...nodes, ...services, ...probes]);
}

async function lookAtSystemPods(
  kubernetes: Kubernetes,
  selector: string,
  count: number,
): Promise<Look<true>> {
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
    if (states.length >= count && states.every((state) => state.ready)) return { done: true, value: true };
    const seen = states.map((state) => `${state.name} ${state.ready ? 'ready' : state.why}`).join(', ');
    const missing = states.some((state) => state.why === 'ErrImageNeverPull' || state.why === 'ErrImagePull');
    return {
      done: false,
      seen: `${states.length} of ${count}: ${seen}`,
      ...(missing ? { impossible: true } : {}),
    };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Turns the guest's admin.conf into one that reaches the API from the host. */
export function forwardKubeconfig(adminConf: string, apiPort: number): string {
  return adminConf.replace(/server: https:\/\/\S+/, `server: https://127.0.0.1:${apiPort}`);
}
