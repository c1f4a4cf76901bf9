import { valueOf } from '../model/axes.ts';
import { compareVersions } from '../model/components.ts';
import type { How } from '../model/killers.ts';
import type { KubeEvent, PodSeen } from '../model/observation.ts';
import type { GatheredCase } from './case-file.ts';
import { findEvent, timeOf } from './pod-events.ts';
import { podWith } from './pod-until-end.ts';
import type { StopRequest } from './stop-request.ts';
import { findTaint } from './taint.ts';
import { CLOCKS_MS } from './tolerances.ts';

/** `PodDisruptionConditions` is on by default from then on (pkg/features/kube_features.go). */
const DISRUPTION_SINCE = '1.26';
/** Who deleted, as the condition DisruptionTarget says (KEP-3329). */
const DELETED_BY: Readonly<Record<string, How>> = {
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint',
  DeletionByPodGC: 'pod-gc',
};

/**
 * A deletion through the API: the scheduler's preemption, an eviction, a taint and the garbage collector say so in the
 * condition DisruptionTarget; without it a deletion is a plain one where the condition is written. Before, nothing tells
 * an eviction by the API from a deletion. To delete the mirror of a static pod ends nothing.
 */
export function findDeletion(file: GatheredCase): StopRequest | undefined {
  if (file.pod.mirrorOf !== undefined) return undefined;
  const found = podWith(file, (each) => each.deletionAt !== undefined);
  const preempted = findEvent(
    file,
    (each) => each.reason === 'Preempted' && /scheduler/.test(each.component),
  );
  const byScheduler = podWith(file, (each) => each.disruption?.reason === 'PreemptionByScheduler');
  const at = found?.deletionAt ?? byScheduler?.disruption?.at ?? timeOf(preempted);
  if (preempted !== undefined || byScheduler !== undefined) {
    const refs = [preempted?.ref, byScheduler?.ref, found?.ref];
    return { killer: 'preemption', how: 'scheduler', at, scope: 'pod', refs };
  }
  if (found === undefined) return undefined;
  const disrupted = podWith(
    file,
    ({ disruption }) =>
      DELETED_BY[disruption?.reason ?? ''] !== undefined &&
      (disruption?.at ?? 0) <= (file.decidedAt ?? file.to) + CLOCKS_MS,
  );
  const taint = findTaint(file);
  return {
    killer: 'api-deletion',
    how: howDeleted(file, disrupted, taint),
    at,
    scope: 'pod',
    refs: [taint?.ref, disrupted?.ref, found.ref],
  };
}

function howDeleted(
  file: GatheredCase,
  disrupted: PodSeen | undefined,
  taint: KubeEvent | undefined,
): How | undefined {
  const told = DELETED_BY[disrupted?.disruption?.reason ?? ''];
  if (told !== undefined) return told;
  if (taint !== undefined) return 'taint';
  const { release } = valueOf(file.record.variant, 'kubernetes');
  return compareVersions(release, DISRUPTION_SINCE) >= 0 ? 'delete' : undefined;
}
