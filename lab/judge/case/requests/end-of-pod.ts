import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { Killer } from '../../../model/killers/killers.ts';
import type { PodSeen } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isWhole } from '../coverage.ts';
import { isKilledWhenDue } from '../grace.ts';
import { EXIT_SIGKILL, EXIT_SIGNALLED } from '../../records/exit-codes.ts';
import { isStopping } from '../../records/signals.ts';
import { isAfter, isAtLeast, shift, type Time } from '../../records/times.ts';
import { API_MS } from '../../records/tolerances.ts';
import { findStops } from './kubelet-stop.ts';
import type { StopRequest } from './stop-request.ts';
import { ofContainer } from '../../records/of-container.ts';

/** Those whom the kubelet serves by ending the whole pod, which it writes into the status of the pod. */
const WHOLE_POD: readonly Killer[] = ['kubelet-eviction', 'preemption', 'deadline', 'node-shutdown'];

/**
 * The status of a pod that the kubelet ended, where nothing else is left of how it ended: no log, and no event. Either the kubelet does
 * not find the container any more and reports no other end, or it is the first of its name: one that had ended before would
 * have been started again. Undefined where the end may be another one.
 */
export function findEndOfPod(file: GatheredCase, cause: StopRequest | undefined): EvidenceRef | undefined {
  const { end, pod, record, versions } = file;
  if (isHeardOtherwise(file)) return undefined;
  const last = versions.at(-1);
  if (cause?.scope !== 'pod' || !WHOLE_POD.includes(cause.killer)) return undefined;
  if (last?.phase !== 'Failed' || last.uid !== pod.uid || end === undefined) return undefined;
  if (end.exitCode === undefined) return end.reason === 'ContainerStatusUnknown' ? last.ref : undefined;
  if (hasGoneOn(last, end.at)) return undefined;
  const view = last.containers.find(({ name }) => name === record.victim.container);
  const isFirst = view?.restartCount === 0 && view.state === 'terminated' && view.last === undefined;
  return isFirst && end.reason !== 'OOMKilled' && isLeftByStop(end.exitCode) ? last.ref : undefined;
}

/** Grace period of a pod that says nothing else (`DefaultTerminationGracePeriodSeconds` of pkg/apis/core/v1). */
const GRACE_SECONDS = 30;

/**
 * Whether the pod went on without the container: another one of it began after that end, or ended later than all that are stopped
 * at once, which they have their grace period for; or the pod was disrupted later.
 */
function hasGoneOn(
  { containers, disruption, gracePeriodSeconds = GRACE_SECONDS }: PodSeen,
  at: Time,
): boolean {
  const together = shift(at, Math.max(gracePeriodSeconds, GRACE_SECONDS) * 1000 + API_MS);
  const isLater = (moment: Time, limit: Time): boolean => isAfter(moment, limit, { unknown: 'does not' });
  return (
    isLater(disruption?.at, together) ||
    containers.some(
      ({ startedAt, finishedAt, last }) =>
        isAtLeast(startedAt, at, { unknown: 'does not' }) ||
        isAtLeast(last?.startedAt, at, { unknown: 'does not' }) ||
        isLater(finishedAt, together) ||
        isLater(last?.finishedAt, together),
    )
  );
}

/** Whether logs of the node were heard: what these do not say was not so. */
function isHeardOtherwise(file: GatheredCase): boolean {
  const { index, containerId, kubeletLines } = file;
  return (
    kubeletLines.length > 0 ||
    isWhole(file, ['kubelet']) ||
    isWhole(file, ['containerd']) ||
    ofContainer(index.ofAny(['runtime-stop', 'runtime-exit']), containerId).length > 0
  );
}

/**
 * Whether a SIGKILL is the kubelet's by all that is left: it had decided to stop the container, the runtime calls the end no OOM
 * kill, and its log, which would have its own SIGKILL, was not given. Where the logs of other services were, the runtime's would
 * be among them: then its silence may hide somebody else.
 */
export function isKilledForKubelet(file: GatheredCase, cause: StopRequest | undefined): boolean {
  if (file.end?.reason !== 'Error' || isWhole(file, ['containerd'])) return false;
  const isOfOwn =
    cause?.scope === 'container' &&
    !isWhole(file, ['system']) &&
    findStops(file).some(({ reason }) => reason !== undefined);
  return isOfOwn || isLoggedWhenDue(file) || findEndOfPod(file, cause) !== undefined;
}

/** Whether the kubelet logged the stop, and SIGKILL came when the grace period of its line was over. */
function isLoggedWhenDue(file: GatheredCase): boolean {
  return isKilledWhenDue(file) && findStops(file).some(({ record }) => record.kind === 'kubelet-said');
}

/** Whether a program that was asked to stop mostly ends with this code: well, or of the signal. */
export function isLeftByStop(exitCode: number | undefined): boolean {
  if (exitCode === undefined || exitCode === 0 || exitCode === EXIT_SIGKILL) return true;
  return exitCode > EXIT_SIGNALLED && isStopping(exitCode - EXIT_SIGNALLED);
}
