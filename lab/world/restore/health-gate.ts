import type { Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { CONTAINERD_ANSWERS, DISK_HAS_ROOM, KUBELET_HEALTH } from '../../../provision/probes/node-probes.ts';
import { probeNode } from '../../../provision/probes/probe.ts';
import { apiAnswers, controlPlaneIsHealthy, nodeIsHealthy } from '../cluster-probes.ts';
import { requireValid } from './health/certificates.ts';
import { leaseIsRenewed } from './health/leases.ts';
import { refreshGuest } from './health/refresh-guest.ts';

/**
 * The checks of a restored world before anything is done in it: clock and randomness, disk, kubelet, containerd,
 * control plane and leases. The last one is `requireNoRestart`.
 */

const GATE_WAIT = { timeoutMs: TIME_LIMITS.world.healthGate.ms, intervalMs: 200 };

/** What the gate compares a restored world with. */
export interface BeforeRestore {
  /** When the restore began, by the clock of the host. */
  readonly restoredAtMs: number;
  /** Restarts in kube-system when the snapshot was taken. */
  readonly restarts: number;
  /** The last renewal of each node's lease in the snapshot, by its own clock; a node may be unknown. */
  readonly renewals: ReadonlyMap<string, string>;
}

/**
 * The part of the gate that each node goes through: clock and randomness, then its disk, kubelet and containerd.
 *
 * @throws ProbeTimeoutError, or HostError LAB_UNHEALTHY, naming what was not healthy, as the other parts do.
 */
export async function passNode(host: Host, guest: Guest): Promise<void> {
  await refreshGuest(host, guest);
  const probes = [DISK_HAS_ROOM, KUBELET_HEALTH, CONTAINERD_ANSWERS];
  await Promise.all(probes.map((probe) => host.waitFor(probeNode(guest, probe), GATE_WAIT)));
}

/**
 * The part of the gate that asks the API: certificates are inside their window, the API and the rest of the control plane
 * answer, and every node has renewed its lease after the restore, is Ready and under no pressure.
 */
export async function passApi(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
  { renewals, restoredAtMs }: BeforeRestore,
): Promise<void> {
  requireValid(kubernetes.certificates(), host.clock.now());
  await host.waitFor(apiAnswers(kubernetes, 'after the restore'), GATE_WAIT);
  requireValid(kubernetes.certificates(), host.clock.now());
  await Promise.all([
    host.waitFor(controlPlaneIsHealthy(kubernetes), GATE_WAIT),
    ...nodes.map(async (node) => {
      const renewed = leaseIsRenewed(kubernetes, node, renewals.get(node), restoredAtMs);
      await host.waitFor(renewed, GATE_WAIT);
      await host.waitFor(nodeIsHealthy(kubernetes, node), GATE_WAIT);
    }),
  ]);
}
