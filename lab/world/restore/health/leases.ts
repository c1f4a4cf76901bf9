import { apiProbe, type Kubernetes } from '../../../drivers/kubernetes/kubernetes.ts';
import type { Host, Probe } from '../../../model/host/host.ts';
import { TIME_LIMITS } from '../../../model/limits/time-limits.ts';

/** A kubelet renews its lease every 10 s at the latest; an emulated node may be late. */
const RENEWAL_WAIT = { timeoutMs: TIME_LIMITS.world.leaseRenewal.ms, intervalMs: 100 };

/**
 * Waits until a node renews its lease. A world that is saved right then renews it a whole interval after each restore.
 * Its shell is opened in that time, so no restore has to wait for the lease.
 */
export async function awaitRenewal(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  let before: string | undefined;
  const renewed = apiProbe(`${node} to renew its lease`, async () => {
    const renewedAt = await readRenewal(kubernetes, node);
    before ??= renewedAt;
    if (renewedAt !== before) return { done: true, value: true };
    return { done: false, seen: `last renewed at ${renewedAt}` };
  });
  await host.waitFor(renewed, RENEWAL_WAIT);
}

/** When each node renewed its lease last, in their order; see `readRenewal`. */
export function readRenewals(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
): Promise<string[]> {
  const shown = (node: string): Probe<string> =>
    apiProbe(`the API to show the lease of ${node}`, async () => ({
      done: true,
      value: await readRenewal(kubernetes, node),
    }));
  return Promise.all(nodes.map((node) => host.waitFor(shown(node), RENEWAL_WAIT)));
}

/**
 * Whether a node has renewed its lease since a restore.
 *
 * @param saved the last renewal in the snapshot, as `readRenewals` gave it; undefined: `restoredAtMs` decides.
 */
export function leaseIsRenewed(
  kubernetes: Kubernetes,
  node: string,
  saved: string | undefined,
  restoredAtMs: number,
): Probe {
  return apiProbe(`${node} to renew its lease after the restore`, async () => {
    const renewedAt = await readRenewal(kubernetes, node);
    const alive = saved === undefined ? Date.parse(renewedAt) >= restoredAtMs : renewedAt !== saved;
    if (alive) return { done: true, value: true };
    return { done: false, seen: `last renewed at ${renewedAt}, before the restore` };
  });
}

/** When a node renewed its lease last, by its own clock, as an ISO time; `never` when it has not. */
async function readRenewal(kubernetes: Kubernetes, node: string): Promise<string> {
  const { spec } = await kubernetes.coordination.readNamespacedLease({
    name: node,
    namespace: 'kube-node-lease',
  });
  return spec?.renewTime === undefined ? 'never' : new Date(spec.renewTime).toISOString();
}
