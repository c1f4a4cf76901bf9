import { compareVersions } from '../model/components.ts';
import type { EvidenceRef } from '../model/formats.ts';
import type { How, Killer } from '../model/killers.ts';
import type { KubeEvent, KubeletSaid, SystemSaid } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';
import { podWith } from './pod-until-end.ts';

/** Why kubelet was asked to stop a container. */
export interface Cause {
  readonly killer: Killer;
  readonly how: How | undefined;
  readonly refs: readonly (EvidenceRef | undefined)[];
}

type FindCause = (file: CaseFile) => Cause | undefined;

/** Finds who wanted the container to stop, most specific first: an evicted pod is also killed by the kubelet. */
export function findCause(file: CaseFile): Cause | undefined {
  for (const find of CAUSES) {
    const cause = find(file);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

/** Events and statuses follow what they are about. */
const SLACK_MS = 2000;
/** A node that goes down tells so before it stops the pods; the default of InhibitDelayMaxSec is 5 s, kubelet raises it. */
const GOING_DOWN_MS = 300_000;

const CAUSES: readonly FindCause[] = [
  findCriticalPreemption,
  findPreemption,
  findEviction,
  findDeadline,
  findShutdown,
  findProbe,
  findDeletion,
];

/** pkg/kubelet/preemption/preemption.go: status reason and event `Preempting`. */
function findCriticalPreemption(file: CaseFile): Cause | undefined {
  const ref = podWith(file, (each) => each.reason === 'Preempting')?.ref ?? eventRef(file, /^Preempting$/);
  return ref && { killer: 'preemption', how: 'critical-pod', refs: [ref] };
}

/** Condition PreemptionByScheduler since 1.26 (pkg/scheduler/framework/preemption), event `Preempted`. */
function findPreemption(file: CaseFile): Cause | undefined {
  const event = eventRef(file, /^Preempted$/);
  const condition = podWith(file, (each) => each.disruption?.reason === 'PreemptionByScheduler')?.ref;
  if (event === undefined && condition === undefined) return undefined;
  return { killer: 'preemption', how: 'scheduler', refs: [event, condition] };
}

/** pkg/kubelet/eviction/helpers.go, since 1.20: what ran out is in the message. */
const EVICTED_FOR: readonly (readonly [How, RegExp])[] = [
  ['container-storage-limit', /exceeded its local ephemeral storage limit/],
  ['pod-storage-limit', /ephemeral local storage usage exceeds the total limit/],
  ['empty-dir-limit', /Usage of EmptyDir volume .* exceeds the limit/],
  ['memory', /low on resource: \[?memory/],
  ['ephemeral-storage', /low on resource: \[?ephemeral-storage/],
  ['inodes', /low on resource: \[?inodes/],
  ['pids', /low on resource: \[?pids/],
];

/**
 * The kubelet writes the event before it kills the pod, and the pod's status and its own line after that (evictPod of
 * pkg/kubelet/eviction/eviction_manager.go): an event that came after the signal explains nothing.
 */
function findEviction(file: CaseFile): Cause | undefined {
  const pod = podWith(file, (each) => each.reason === 'Evicted');
  const event = findEvent(file, (each) => each.reason === 'Evicted');
  if (pod === undefined && event === undefined) return undefined;
  const stoppedAt = file.killingSignal?.sent.at;
  if (event?.at !== undefined && stoppedAt !== undefined && event.at > stoppedAt + SLACK_MS) return undefined;
  const message = pod?.message ?? event?.message ?? '';
  const how = EVICTED_FOR.find(([, text]) => text.test(message))?.[0];
  return {
    killer: 'kubelet-eviction',
    how,
    refs: [pod?.ref, event?.ref, findKubeletLine(file, 'eviction', 'pod is evicted successfully"')?.ref],
  };
}

/** The kubelet's line about this pod; `text` stands right before the pod's name. */
function findKubeletLine(
  file: CaseFile,
  about: KubeletSaid['about'],
  text: string,
  until = Infinity,
): KubeletSaid | undefined {
  const words = `${text} pod="${file.pod.namespace}/${file.pod.name}"`;
  return file.observations.find(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' &&
      each.about === about &&
      (each.at ?? 0) <= until &&
      each.node === file.node &&
      each.message.includes(words),
  );
}

function findDeadline(file: CaseFile): Cause | undefined {
  const ref = podWith(file, (each) => each.reason === 'DeadlineExceeded')?.ref;
  return ref && { killer: 'deadline', how: undefined, refs: [ref] };
}

/**
 * pkg/kubelet/nodeshutdown: the pod's reason is `Terminated` since 1.22, `Shutdown` before; a pod that succeeded has the
 * condition DisruptionTarget instead (1.26). The kubelet's own line names the pod, and logind says so on its own.
 */
function findShutdown(file: CaseFile): Cause | undefined {
  const pod = podWith(file, (each) => isShutdown(each) || isShutdown(each.disruption));
  const line = findKubeletLine(file, 'shutdown', 'killing pod with gracePeriod"', file.to);
  if (pod === undefined && line === undefined) return undefined;
  const said = file.observations.find(
    (each): each is SystemSaid =>
      each.kind === 'system-said' &&
      each.about === 'shutdown' &&
      each.node === file.node &&
      Math.abs((each.at ?? 0) - file.to) <= GOING_DOWN_MS,
  );
  return { killer: 'node-shutdown', how: undefined, refs: [pod?.ref, line?.ref, said?.ref] };
}

function isShutdown(
  said: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined,
): boolean {
  return (
    /^(?:Terminated|Shutdown|NodeShutdown|TerminationByKubelet)$/.test(said?.reason ?? '') &&
    /node shutdown|Node is shutting/.test(said?.message ?? '')
  );
}

/** pkg/kubelet/kuberuntime/kuberuntime_manager.go: `Container x failed liveness probe, will be restarted`. */
function findProbe(file: CaseFile): Cause | undefined {
  const { container } = file.record.victim;
  const killing = findEvent(
    file,
    (each) =>
      each.reason === 'Killing' &&
      each.message.startsWith(`Container ${container} failed `) &&
      /failed (?:liveness|startup) probe/.test(each.message),
  );
  if (killing === undefined) return undefined;
  const kind = /failed startup probe/.test(killing.message) ? 'startup' : 'liveness';
  const unhealthy = findEvent(
    file,
    (each) => each.reason === 'Unhealthy' && each.message.toLowerCase().startsWith(`${kind} probe`),
  );
  return { killer: 'liveness-probe', how: `${kind}-probe`, refs: [killing.ref, unhealthy?.ref] };
}

/** `PodDisruptionConditions` is on by default from then on (pkg/features/kube_features.go). */
const DISRUPTION_SINCE = '1.26';
/** Who deleted, as the condition DisruptionTarget says (KEP-3329). */
const DELETED_BY: Readonly<Record<string, How>> = {
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint',
  DeletionByPodGC: 'pod-gc',
};

/**
 * Only a deletion that was asked before the end can be its cause. Without the condition it is a plain one where the
 * condition is written; before, nothing tells an eviction by the API from a deletion.
 */
function findDeletion(file: CaseFile): Cause | undefined {
  const found = podWith(file, (each) => each.deletionAt !== undefined);
  if (found?.deletionAt === undefined || found.deletionAt > file.to) return undefined;
  const disrupted = podWith(file, (each) => DELETED_BY[each.disruption?.reason ?? ''] !== undefined);
  const taint = findTaint(file);
  const writesCondition = compareVersions(file.record.variant.kubernetes, DISRUPTION_SINCE) >= 0;
  const plain = writesCondition ? 'delete' : undefined;
  const how = DELETED_BY[disrupted?.disruption?.reason ?? ''] ?? (taint === undefined ? plain : 'taint');
  return { killer: 'api-deletion', how, refs: [found.ref, disrupted?.ref, taint?.ref] };
}

/**
 * Its event names the pod without a uid (`getPodReference` in pkg/controller/tainteviction/taint_eviction.go, and in
 * pkg/controller/nodelifecycle/scheduler before); the same reason also tells that a deletion was cancelled.
 */
function findTaint(file: CaseFile): KubeEvent | undefined {
  const { namespace, name, createdAt } = file.pod;
  return file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.reason === 'TaintManagerEviction' &&
      each.message === `Marking for deletion Pod ${namespace}/${name}` &&
      (each.at ?? 0) >= (createdAt ?? 0) - SLACK_MS &&
      (each.at ?? 0) <= file.to + SLACK_MS,
  );
}

function eventRef(file: CaseFile, reason: RegExp): EvidenceRef | undefined {
  return findEvent(file, (each) => reason.test(each.reason))?.ref;
}

function findEvent(file: CaseFile, wanted: (event: KubeEvent) => boolean): KubeEvent | undefined {
  return file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.objectUid === file.pod.uid &&
      wanted(each) &&
      (each.at ?? 0) <= file.to + SLACK_MS,
  );
}
