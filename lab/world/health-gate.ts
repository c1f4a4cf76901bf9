import type { Guest, Host, Look } from '../model/host.ts';
import { apiErrorText, type Kubernetes } from '../drivers/kubernetes.ts';

const GATE_TIMEOUT_MS = 120_000;

/** What the gate found, for the event log and the next gate. */
export interface Health {
  /** How far the guest's clock was stepped, in milliseconds. */
  readonly steppedMs: number;
  /** Restarts of all containers in kube-system. */
  readonly restarts: number;
}

/**
 * Steps the guest's wall clock to the host's. A restored guest wakes up in its past; everything that compares
 * with host time (evidence, certificates, Job deadlines) needs the present.
 *
 * @returns how far it was stepped, in milliseconds.
 */
export async function stepClock(host: Host, guest: Guest): Promise<number> {
  const before = host.clock.now();
  const output = await guest.must(
    `old=$(date +%s%3N); date -u -s "@${(before / 1000).toFixed(3)}" > /dev/null; echo "$old"`,
  );
  return before - Number(output.trim());
}

/**
 * The gate between a restored snapshot and a cell: the API answers, the kubelet has renewed the node's lease and
 * posted Ready after the restore, and no control-plane container was restarted by it.
 *
 * @throws ProbeTimeoutError naming what was not healthy.
 */
export async function passHealthGate(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
  restoredAtMs: number,
): Promise<number> {
  await host.waitFor(() => lookAtApi(kubernetes), {
    name: 'the API to answer after the restore',
    timeoutMs: GATE_TIMEOUT_MS,
    intervalMs: 200,
  });
  for (const node of nodes) {
    await host.waitFor(() => lookAtLease(kubernetes, node, restoredAtMs), {
      name: `${node} to renew its lease after the restore`,
      timeoutMs: GATE_TIMEOUT_MS,
      intervalMs: 250,
    });
    await host.waitFor(() => lookAtNode(kubernetes, node), {
      name: `${node} to be Ready`,
      timeoutMs: GATE_TIMEOUT_MS,
      intervalMs: 250,
    });
  }
  return countRestarts(kubernetes);
}

/** Whether `/readyz` says ok. */
export async function lookAtApi(kubernetes: Kubernetes): Promise<Look<true>> {
  try {
    const answer = await kubernetes.get('/readyz');
    if (answer.status === 200) return { done: true, value: true };
    return { done: false, seen: `HTTP ${answer.status}: ${answer.text.slice(0, 200)}` };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

async function lookAtLease(kubernetes: Kubernetes, node: string, sinceMs: number): Promise<Look<true>> {
  try {
    const lease = await kubernetes.coordination.readNamespacedLease({
      name: node,
      namespace: 'kube-node-lease',
    });
    const renewed = lease.spec?.renewTime;
    const renewedMs = renewed === undefined ? 0 : new Date(renewed).getTime();
    if (renewedMs >= sinceMs) return { done: true, value: true };
    return {
      done: false,
      seen: `last renewed ${((sinceMs - renewedMs) / 1000).toFixed(0)} s before the restore`,
    };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Whether a node reports Ready. */
export async function lookAtNode(kubernetes: Kubernetes, node: string): Promise<Look<true>> {
  try {
    const found = await kubernetes.core.readNode({ name: node });
    const ready = found.status?.conditions?.find((condition) => condition.type === 'Ready');
    if (ready?.status === 'True') return { done: true, value: true };
    return { done: false, seen: `Ready=${ready?.status ?? 'unset'}, ${ready?.message ?? 'no message'}` };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Restarts of all containers in kube-system. */
export async function countRestarts(kubernetes: Kubernetes): Promise<number> {
  const pods = await kubernetes.core.listNamespacedPod({ namespace: 'kube-system' });
  return pods.items
    .flatMap((pod) => pod.status?.containerStatuses ?? [])
    .reduce((sum, container) => sum + container.restartCount, 0);
}
