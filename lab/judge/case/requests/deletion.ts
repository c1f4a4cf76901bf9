import { compareVersions } from '../../../model/components/components.ts';
import type { How } from '../../../model/killers/killers.ts';
import type { KubeEvent, PodSeen, StimulusDone } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isWhole } from '../coverage.ts';
import { findHeard, kubeletActedAt } from './kubelet-stop.ts';
import { findEvent, firstTimeOf } from './pod-events.ts';
import { podWith } from './pod-until-end.ts';
import type { StopRequest } from './stop-request.ts';
import { findTaint } from './taint.ts';
import { CLOCKS_MS } from '../../../model/evidence/source-clocks.ts';
import { isOfController } from '../../records/controller-events.ts';
import { API_MS } from '../../records/tolerances.ts';
import { isAtLeast, isAtMost, isNear, shift, type Time } from '../../records/times.ts';

/** `PodDisruptionConditions` is on by default since this release (pkg/features/kube_features.go). */
const DISRUPTION_SINCE = '1.26';
const PREEMPTED = 'PreemptionByScheduler';
/** Who asked for the deletion, by the reason of the condition DisruptionTarget (KEP-3329). */
const DELETED_BY: Readonly<Record<string, How>> = {
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint',
  DeletionByDeviceTaintManager: 'device-taint',
  DeletionByPodGC: 'pod-gc',
};

/**
 * Finds a deletion through the API. The scheduler, an eviction, a taint and the garbage collector write the condition
 * DisruptionTarget. Since releases write it, a deletion without it is a plain one; before, only the record of whoever asked
 * tells an eviction through the API from a deletion. The deletion of a static pod's mirror ends nothing.
 */
export function findDeletion(file: GatheredCase): StopRequest | undefined {
  if (file.pod.mirrorOf !== undefined) return undefined;
  const found = podWith(file, (pod) => pod.deletionAt !== undefined);
  const isOfThis = (at: Time): boolean => isOfDeletion(at, found);
  const condition = findCondition(file, found);
  const byScheduler = condition?.disruption?.reason === PREEMPTED ? condition : undefined;
  const preempted = findEvent(
    file,
    (event) => event.reason === 'Preempted' && /scheduler/.test(event.component) && isOfThis(event.at),
  );
  const at = requestedAt(found) ?? byScheduler?.disruption?.at ?? firstTimeOf(preempted);
  // The scheduler may take back what it announced: the API, which was heard, was never asked.
  if (found === undefined && isWhole(file, ['pods'])) return undefined;
  const isByEvent = preempted !== undefined && !isConditionMissing(file, found);
  if (isByEvent || byScheduler !== undefined) {
    const refs = [preempted?.ref, byScheduler?.ref, found?.ref];
    return { killer: 'preemption', how: 'scheduler', at, scope: 'pod', refs };
  }
  if (found === undefined) return findByEvents(file) ?? findByKubelet(file);
  // The time is that of the kubelet's last step. That the kubelet stopped the container shows that it was asked before.
  const stoppedAt = found.isDeletedBefore === true ? kubeletActedAt(file) : undefined;
  if (found.isDeletedBefore === true && stoppedAt === undefined) return undefined;
  const isInTime = isAtMost(condition?.disruption?.at, (file.decidedAt ?? file.to) + CLOCKS_MS, {
    unknown: 'counts',
  });
  const disrupted =
    isInTime && DELETED_BY[condition?.disruption?.reason ?? ''] !== undefined ? condition : undefined;
  const said = findTaint(file);
  // Since releases write conditions, a taint writes one before it deletes.
  const isOfTaint = isOfThis(said?.at) && !(hasConditions(file) && isRequestSeen(file, found));
  const taint = isOfTaint ? said : undefined;
  const how = howDeleted(file, disrupted, taint);
  const own = how === undefined ? findOwnRequest(file, found) : undefined;
  return {
    killer: 'api-deletion',
    how: how ?? own?.asked?.how,
    at: at ?? disrupted?.disruption?.at ?? stoppedAt,
    scope: 'pod',
    refs: [taint?.ref, disrupted?.ref, own?.ref, found.ref],
  };
}

/** The deletion of a pod that the API was not asked about: a controller wrote an event that it made one. */
function findByEvents(file: GatheredCase): StopRequest | undefined {
  const taint = findTaint(file);
  const said = taint ?? file.index.of('kube-event').find((event) => tellsItsDeletion(event, file));
  if (said === undefined) return undefined;
  const how = taint === undefined ? 'delete' : 'taint';
  return { killer: 'api-deletion', how, at: firstTimeOf(said), scope: 'pod', refs: [said.ref] };
}

/** The same as its kubelet heard of it: who made it, and why, only the API knows. */
function findByKubelet(file: GatheredCase): StopRequest | undefined {
  const heard = findHeard(file);
  if (heard?.at === undefined) return undefined;
  return { killer: 'api-deletion', how: undefined, at: heard.at, scope: 'pod', refs: [heard.ref] };
}

/** Whether a controller says that it deleted this pod, and no earlier one of its name. */
function tellsItsDeletion(event: KubeEvent, { pod, to }: GatheredCase): boolean {
  return (
    isOfController(event, 'SuccessfulDelete', pod) &&
    isAtLeast(event.at, shift(pod.createdAt, -API_MS), { unknown: 'counts' }) &&
    isAtMost(event.at, to, { unknown: 'counts' })
  );
}

/**
 * Finds the condition of whoever made the deletion. It is written before the API is asked, so the first version that is to
 * go has it; what only a later version has is of somebody else. A condition that was true already keeps its time when its
 * reason changes (UpdatePodCondition of pkg/api/v1/pod/util.go): then the version that first had the reason dates it.
 */
function findCondition(file: GatheredCase, found: PodSeen | undefined): PodSeen | undefined {
  const isOfThis = (at: Time): boolean => isOfDeletion(at, found);
  const isFirst = (version: PodSeen): boolean => {
    const reason = version.disruption?.reason;
    return podWith(file, ({ disruption }) => disruption?.reason === reason) === version;
  };
  const isDated = (version: PodSeen): boolean =>
    isOfThis(version.disruption?.at) ||
    (found !== undefined && version.type !== 'ADDED' && isFirst(version) && isOfThis(version.at));
  const isShown = found !== undefined && isRequestSeen(file, found);
  const named = isShown ? found.disruption?.reason : undefined;
  if (isShown && named === undefined) return undefined;
  return podWith(
    file,
    (version) =>
      version.disruption !== undefined &&
      (named === undefined || version.disruption.reason === named) &&
      (version.disruption.reason === PREEMPTED || DELETED_BY[version.disruption.reason] !== undefined) &&
      isDated(version),
  );
}

/** Whether that version is the first which the API had of a pod that is to go. */
function isRequestSeen(file: GatheredCase, found: PodSeen): boolean {
  return found.isDeletedBefore !== true && found.type !== 'ADDED' && isWhole(file, ['pods']);
}

/** Whether this release writes a condition for every preemption, and the deletion, which was seen, has another one or none. */
function isConditionMissing(file: GatheredCase, found: PodSeen | undefined): boolean {
  return (
    hasConditions(file) &&
    found !== undefined &&
    isRequestSeen(file, found) &&
    found.disruption?.reason !== PREEMPTED
  );
}

function hasConditions({ facts }: GatheredCase): boolean {
  return facts.release !== undefined && compareVersions(facts.release, DISRUPTION_SINCE) >= 0;
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
  return hasConditions(file) ? 'delete' : undefined;
}

/**
 * The lab's own request for the end of this pod, right before the API showed that it is to go: both times are of the host's
 * clock. Undefined where it asked in several ways, or where the deletion was seen before.
 */
function findOwnRequest(file: GatheredCase, found: PodSeen): StimulusDone | undefined {
  if (!isRequestSeen(file, found)) return undefined;
  const { namespace, name } = file.pod;
  const own = file.index
    .of('stimulus')
    .filter(
      ({ asked, at }) =>
        asked?.namespace === namespace &&
        asked.pods.includes(name) &&
        isAtMost(at, found.at, { unknown: 'does not' }) &&
        isNear(at, found.at, API_MS, { unknown: 'does not' }),
    );
  return new Set(own.map(({ asked }) => asked?.how)).size === 1 ? own[0] : undefined;
}
