import type { How, Killer } from '../../../model/killers/killers.ts';
import type { KubeEvent, KubeletSaid, PodSeen } from '../../../model/evidence/observation.ts';
import { isEndedFor, mayHaveLostReason, type EndedFor } from '../../records/ended-by-kubelet.ts';
import { isEvictionEvent, reasonOfEviction } from '../../records/eviction-lines.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet, isWhole } from '../coverage.ts';
import { findDeletion } from './deletion.ts';
import { findEvictionByLog } from './evicted-by-log.ts';
import {
  findFirstAct,
  findStops,
  kubeletActedAt,
  kubeletHeardAt,
  type ContainerReason,
  type FirstAct,
  type KubeletStop,
} from './kubelet-stop.ts';
import { findEvent, firstTimeOf } from './pod-events.ts';
import { podWith } from './pod-until-end.ts';
import { isByApi, type StopRequest, type StopRequests } from './stop-request.ts';
import { findShutdownNotice } from './shutdown-notice.ts';
import { CLOCKS_MS, CUT_MS, SAME_NODE_MS } from '../../../model/evidence/source-clocks.ts';
import { isAfter, isAtLeast, isAtMost, isBefore, isNear, isWithin, shift } from '../../records/times.ts';

/**
 * Finds who asked for the end of the container. A request can have led to the end only if it came before the runtime's
 * first signal. Of several such requests the first one did: a kubelet that stops a container does not begin again. The
 * kubelet's own words for the stop say whether it meant only the container or the whole pod.
 */
export function findStopRequests(file: GatheredCase): StopRequests {
  const all = FINDERS.flatMap((find) => find(file) ?? []);
  const decidedAt = file.decidedAt ?? file.to;
  const actedAt = kubeletActedAt(file);
  // The kubelet's line and the signal have one clock: whatever was asked before, the kubelet had not acted on it.
  const isTooLate = actedAt !== undefined && actedAt > decidedAt + SAME_NODE_MS;
  const firstAct = findFirstAct(file);
  const heardAt = kubeletHeardAt(file);
  // Both are of the kubelet's clock; that of the API may be another one.
  const isHeardInTime = isAtMost(heardAt, decidedAt + SAME_NODE_MS, { unknown: 'does not' });
  const isInTime = (request: StopRequest): boolean =>
    !isTooLate &&
    ((isByApi(request) && isHeardInTime) ||
      isAtMost(request.at, decidedAt + CLOCKS_MS, { unknown: 'counts' })) &&
    !isAfterFirstAct(request, firstAct, heardAt);
  const inTime = all.filter(isInTime);
  // These came before the signal, and the kubelet had not acted on them.
  const waiting = isTooLate
    ? all.filter((request) => isAtMost(request.at, decidedAt, { unknown: 'does not' }))
    : [];
  const stop = findStops(file).find((word) => word.record.kind === 'kube-event' || word.reason !== undefined);
  const scope = stop && (isOfPod(stop) || isEndOfPod(stop, file) ? 'pod' : 'container');
  const fitting = inTime.filter((request) => scope === undefined || request.scope === scope);
  const dated = fitting.filter((request) => request.at !== undefined);
  const first = dated.reduce<StopRequest | undefined>(
    // Times are cut to whole seconds: of two requests in one second the more specific one counts, and it comes first.
    (best, request) =>
      isBefore(best?.at, shift(request.at, CUT_MS), { unknown: 'does not' }) ? best : request,
    undefined,
  );
  const cause = first ?? fitting[0];
  return {
    cause,
    rivals: [
      ...fitting.filter((request) => request !== cause && cause !== undefined && !isSameAct(request, cause)),
      ...waiting,
    ],
    unfit: inTime.filter((request) => !fitting.includes(request)),
    later: all.filter((request) => !isInTime(request) && !waiting.includes(request)),
  };
}

/** Whether the kubelet's word is the one for a pod that has to go. For a single container it has other words. */
function isOfPod({ record, reason }: KubeletStop): boolean {
  return (
    reason === undefined &&
    (record.kind === 'kubelet-said' || /^(?:Stopping|Killing) container/.test(record.message))
  );
}

/**
 * Whether the kubelet had begun to stop the container before it was asked for: the request is younger, or the kubelet
 * heard of it later.
 */
function isAfterFirstAct(
  request: StopRequest,
  firstAct: FirstAct | undefined,
  heardAt: number | undefined,
): boolean {
  if (firstAct === undefined || request.scope === 'container') return false;
  // The kubelet logs both.
  const slackMs = firstAct.isLogged ? 0 : SAME_NODE_MS;
  if (isByApi(request) && heardAt !== undefined) return heardAt > firstAct.to + slackMs;
  return isAfter(request.at, firstAct.to + CLOCKS_MS, { unknown: 'does not' });
}

/** A preemption by the scheduler, a drain and a taint are deletions with a reason. */
function isSameAct(a: StopRequest, b: StopRequest): boolean {
  return (
    a.killer === b.killer || (isByApi(a) && isByApi(b) && isNear(a.at, b.at, CUT_MS, { unknown: 'does not' }))
  );
}

const FINDERS: readonly ((file: GatheredCase) => StopRequest | undefined)[] = [
  findCriticalPreemption,
  findEviction,
  findDeadline,
  findShutdown,
  findStaticRemoval,
  findContainerReason,
  findDeletion,
];

/**
 * Whether the API, which was heard, has the end of the container without a reason of the kubelet's: what the kubelet ends a pod for, it
 * writes into its status before it stops the first container (syncTerminatingPod of pkg/kubelet/kubelet.go, and syncPod before). That of
 * a pod that then succeeds is lost.
 */
function isUnwritten(file: GatheredCase, reason: EndedFor): boolean {
  const { container } = file.record.victim;
  const isOver = podWith(file, ({ containers }) =>
    containers.some(
      ({ name, id, state }) => name === container && id === file.containerId && state === 'terminated',
    ),
  );
  return isOver !== undefined && !mayHaveLostReason(isOver, reason) && isWhole(file, ['pods']);
}

/** Where the kubelet says that it ends the pod for a reason: in the status, and as an event. */
interface SaidReason {
  readonly pod: PodSeen | undefined;
  readonly event: KubeEvent | undefined;
  /** Whether neither says so; an event counts for nothing where the status should have it and has not. */
  readonly isUnsaid: boolean;
}

function findReason(file: GatheredCase, reason: EndedFor): SaidReason {
  const pod = podWith(file, (version) => isEndedFor(version, reason));
  const isMeant = (kubeEvent: KubeEvent): boolean =>
    reason === 'Evicted' ? isEvictionEvent(kubeEvent) : kubeEvent.reason === reason;
  const event = findEvent(file, (kubeEvent) => isMeant(kubeEvent) && isOfKubelet(kubeEvent));
  return { pod, event, isUnsaid: pod === undefined && (event === undefined || isUnwritten(file, reason)) };
}

/** pkg/kubelet/preemption/preemption.go: a line, an event `Preempting`, and that reason in the status. */
function findCriticalPreemption(file: GatheredCase): StopRequest | undefined {
  const { pod, event, isUnsaid } = findReason(file, 'Preempting');
  const line = findKubeletLine(file, 'preemption', '"Preempting pod to free up resources"');
  if (isUnsaid && line === undefined) return undefined;
  const how: How = 'critical-pod';
  const refs = [line?.ref, event?.ref, pod?.ref];
  return { killer: 'preemption', how, at: line?.at ?? firstTimeOf(event), scope: 'pod', refs };
}

/**
 * The kubelet writes the event before it kills the pod, and the pod's status and its own line afterwards (evictPod of
 * pkg/kubelet/eviction/eviction_manager.go). Others write events with that reason as well: Karpenter, deschedulers.
 */
function findEviction(file: GatheredCase): StopRequest | undefined {
  const { pod, event, isUnsaid } = findReason(file, 'Evicted');
  if (pod === undefined && event === undefined) return findEvictionByLog(file);
  if (isUnsaid) return undefined;
  const how = reasonOfEviction(pod?.message ?? event?.message ?? '');
  const line = findKubeletLine(file, 'eviction', 'pod is evicted successfully"');
  return {
    killer: 'kubelet-eviction',
    how,
    at: firstTimeOf(event),
    scope: 'pod',
    refs: [pod?.ref, event?.ref, line?.ref],
  };
}

/** The kubelet's line about this pod, with `text` right before the pod's name. */
function findKubeletLine(
  file: GatheredCase,
  about: KubeletSaid['about'],
  text: string,
): KubeletSaid | undefined {
  const words = `${text} pod="${file.pod.namespace}/${file.pod.name}"`;
  return file.index
    .of('kubelet-said')
    .find(
      (line) =>
        line.about === about &&
        line.node === file.node &&
        line.message.includes(words) &&
        isOfThisPod(file, line.at),
    );
}

/** An earlier pod with the same name had lines of its own. */
function isOfThisPod(file: GatheredCase, at: number | undefined): boolean {
  return isAtLeast(at, shift(file.pod.createdAt, -CLOCKS_MS), { unknown: 'counts' });
}

/** pkg/kubelet/active_deadline.go: the event comes first, the status after the kill. */
function findDeadline(file: GatheredCase): StopRequest | undefined {
  const { pod, event, isUnsaid } = findReason(file, 'DeadlineExceeded');
  if (isUnsaid) return undefined;
  const at = firstTimeOf(event) ?? (pod ?? file.pod).deadlineAt;
  return { killer: 'deadline', how: undefined, at, scope: 'pod', refs: [event?.ref, pod?.ref] };
}

/**
 * pkg/kubelet/nodeshutdown: the pod's reason is `Terminated` since 1.22, `Shutdown` before. A pod that succeeded has
 * the condition DisruptionTarget instead (1.26). The kubelet's own line names the pod; logind writes a line of its own.
 */
function findShutdown(file: GatheredCase): StopRequest | undefined {
  const pod = podWith(file, (version) => isShutdown(version) || isShutdown(version.disruption));
  const line = findKubeletLine(file, 'shutdown', 'killing pod with gracePeriod"');
  if (pod === undefined && line === undefined) return undefined;
  const said = findShutdownNotice(file, file.to);
  const refs = [said?.ref, line?.ref, pod?.ref];
  return { killer: 'node-shutdown', how: undefined, at: line?.at ?? pod?.disruption?.at, scope: 'pod', refs };
}

function isShutdown(
  said: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined,
): boolean {
  return (
    /^(?:Terminated|Shutdown|NodeShutdown|TerminationByKubelet)$/.test(said?.reason ?? '') &&
    /node shutdown|Node is shutting/.test(said?.message ?? '')
  );
}

/** pkg/kubelet/config/file.go: the file of a static pod is gone, so the kubelet ends its pod. */
function findStaticRemoval(file: GatheredCase): StopRequest | undefined {
  if (file.pod.mirrorOf === undefined && file.versions.length > 0) return undefined;
  // The kubelet calls a static pod by the name of its mirror.
  const line = file.index
    .of('kubelet-said')
    .find(
      (said) =>
        said.about === 'pod-removed' &&
        said.node === file.node &&
        said.message.includes('source="file"') &&
        said.message.includes(`"${file.pod.namespace}/${file.pod.name}"`) &&
        isOfThisPod(file, said.at),
    );
  if (line === undefined) return undefined;
  return { killer: 'spec-change', how: 'static-pod-removed', at: line.at, scope: 'pod', refs: [line.ref] };
}

const CONTAINER_REASONS: Readonly<Record<ContainerReason, readonly [Killer, How]>> = {
  'liveness-probe': ['liveness-probe', 'liveness-probe'],
  'startup-probe': ['liveness-probe', 'startup-probe'],
  'definition-changed': ['spec-change', 'definition-changed'],
  resized: ['spec-change', 'resized'],
};

/** What the kubelet adds where it starts the container again. */
const RESTARTED = ', will be restarted';

/** `Container <name> failed liveness probe, will be restarted` and the like, as an event and in the kubelet's log. */
function findContainerReason(file: GatheredCase): StopRequest | undefined {
  const stops = findStops(file, file.to).filter((word) => word.reason !== undefined);
  const stop = stops[0];
  if (stop?.reason === undefined) return undefined;
  const [killer, how] = CONTAINER_REASONS[stop.reason];
  const kind = stop.reason.startsWith('startup') ? 'startup' : 'liveness';
  const unhealthy =
    killer === 'liveness-probe'
      ? findEvent(
          file,
          (event) => event.reason === 'Unhealthy' && event.message.toLowerCase().startsWith(`${kind} probe`),
        )
      : undefined;
  const refs = [
    unhealthy?.ref,
    ...stops.filter((word) => word.reason === stop.reason).map((word) => word.record.ref),
  ];
  const scope = isEndOfPod(stop, file) ? 'pod' : 'container';
  return { killer, how, at: timeOfStop(stop), scope, refs };
}

/**
 * Whether the kubelet ended the pod as a whole for this reason: with nothing to restart and nothing else that runs it names
 * the container in its log, and then stops all with the words for a pod (computePodActions of kuberuntime_manager.go).
 */
function isEndOfPod({ record }: KubeletStop, file: GatheredCase): boolean {
  if (record.kind !== 'kubelet-said' || record.message.includes(RESTARTED)) return false;
  const from = shift(record.at, -CUT_MS);
  const to = shift(record.at, CUT_MS);
  return findStops(file, file.to).some(
    (stop) =>
      stop.record.kind === 'kube-event' &&
      isOfPod(stop) &&
      // The event has a whole second, and is written right after the line.
      isWithin(firstTimeOf(stop.record), from, to, { unknown: 'does not' }),
  );
}

function timeOfStop({ record }: KubeletStop): number | undefined {
  return record.kind === 'kube-event' ? firstTimeOf(record) : record.at;
}
