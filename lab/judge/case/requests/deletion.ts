import { compareVersions } from '../../../model/components/components.ts';
import type { How } from '../../../model/killers/killers.ts';
import type { KubeEvent, PodSeen } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isWhole } from '../coverage.ts';
import { kubeletActedAt } from './kubelet-stop.ts';
import { findEvent, firstTimeOf } from './pod-events.ts';
import { podWith } from './pod-until-end.ts';
import type { StopRequest } from './stop-request.ts';
import { findTaint } from './taint.ts';
import { CLOCKS_MS } from '../../../model/evidence/source-clocks.ts';
import { API_MS } from '../../records/tolerances.ts';
import { isAtMost, isNear, type Time } from '../../records/times.ts';

/** `PodDisruptionConditions` is on by default since this release (pkg/features/kube_features.go). */
const DISRUPTION_SINCE = '1.26';
/** Who asked for the deletion, by the reason of the condition DisruptionTarget (KEP-3329). */
const DELETED_BY: Readonly<Record<string, How>> = {
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint',
  DeletionByDeviceTaintManager: 'device-taint',
  DeletionByPodGC: 'pod-gc',
};

/**
 * Finds a deletion through the API. The scheduler, an eviction, a taint and the garbage collector write the condition
 * DisruptionTarget. Since releases write it, a deletion without it is a plain one; before, nothing tells an eviction
 * through the API from a deletion. The deletion of a static pod's mirror ends nothing.
 */
export function findDeletion(file: GatheredCase): StopRequest | undefined {
  if (file.pod.mirrorOf !== undefined) return undefined;
  const found = podWith(file, (pod) => pod.deletionAt !== undefined);
  const isOfThis = (at: Time): boolean => isOfDeletion(at, found);
  const preempted = findEvent(
    file,
    (event) => event.reason === 'Preempted' && /scheduler/.test(event.component) && isOfThis(event.at),
  );
  const byScheduler = podWith(
    file,
    ({ disruption }) => disruption?.reason === 'PreemptionByScheduler' && isOfThis(disruption.at),
  );
  const at = requestedAt(found) ?? byScheduler?.disruption?.at ?? firstTimeOf(preempted);
  // The scheduler may take back what it announced: the API, which was heard, was never asked.
  if (found === undefined && isWhole(file, ['pods'])) return undefined;
  if (preempted !== undefined || byScheduler !== undefined) {
    const refs = [preempted?.ref, byScheduler?.ref, found?.ref];
    return { killer: 'preemption', how: 'scheduler', at, scope: 'pod', refs };
  }
  if (found === undefined) return undefined;
  // The time is that of the kubelet's last step. That the kubelet stopped the container shows that it was asked before.
  const stoppedAt = found.isDeletedBefore === true ? kubeletActedAt(file) : undefined;
  if (found.isDeletedBefore === true && stoppedAt === undefined) return undefined;
  const disrupted = podWith(
    file,
    ({ disruption }) =>
      DELETED_BY[disruption?.reason ?? ''] !== undefined &&
      isOfThis(disruption?.at) &&
      isAtMost(disruption?.at, (file.decidedAt ?? file.to) + CLOCKS_MS, { unknown: 'counts' }),
  );
  const said = findTaint(file);
  const taint = said !== undefined && isOfThis(said.at) ? said : undefined;
  return {
    killer: 'api-deletion',
    how: howDeleted(file, disrupted, taint),
    at: at ?? disrupted?.disruption?.at ?? stoppedAt,
    scope: 'pod',
    refs: [taint?.ref, disrupted?.ref, found.ref],
  };
}

/**
 * Whether a condition or an event belongs to this deletion: whoever deletes writes it at the same time. An older one is
 * of an attempt that was refused, or of a former pod of that name.
 */
function isOfDeletion(at: Time, deleted: PodSeen | undefined): boolean {
  return isNear(at, requestedAt(deleted), API_MS, { unknown: 'counts' });
}

/** When the deletion was asked for; undefined where the version does not say. */
function requestedAt(deleted: PodSeen | undefined): Time {
  return deleted?.isDeletedBefore === true ? undefined : deleted?.deletionAt;
}

function howDeleted(
  file: GatheredCase,
  disrupted: PodSeen | undefined,
  taint: KubeEvent | undefined,
): How | undefined {
  const named = DELETED_BY[disrupted?.disruption?.reason ?? ''];
  if (named !== undefined) return named;
  if (taint !== undefined) return 'taint';
  const { release } = file.facts;
  return release !== undefined && compareVersions(release, DISRUPTION_SINCE) >= 0 ? 'delete' : undefined;
}
