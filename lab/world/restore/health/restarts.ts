import type { Kubernetes } from '../../../drivers/kubernetes/kubernetes.ts';
import { HostError } from '../../../model/errors/errors.ts';
import { plural } from '../../../model/text/plural.ts';
import { sum } from '../../../model/text/sum.ts';

/**
 * Requires that no container of kube-system was restarted by the restore.
 *
 * @param before restarts when the snapshot was taken.
 * @throws HostError LAB_UNHEALTHY
 */
export async function requireNoRestart(kubernetes: Kubernetes, before: number): Promise<void> {
  const more = (await countRestarts(kubernetes)) - before;
  if (more > 0) {
    throw new HostError(
      'LAB_UNHEALTHY',
      `the restore restarted ${plural(more, 'container')} of the control plane`,
    );
  }
}

/** Restarts of all containers in kube-system. */
export async function countRestarts(kubernetes: Kubernetes): Promise<number> {
  const pods = await kubernetes.core.listNamespacedPod({ namespace: 'kube-system' });
  const containers = pods.items.flatMap((pod) => pod.status?.containerStatuses ?? []);
  return sum(containers.map((container) => container.restartCount));
}
