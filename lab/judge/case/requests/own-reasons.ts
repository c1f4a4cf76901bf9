import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { KubeEvent, PodSeen } from '../../../model/evidence/observation.ts';
import type { How } from '../../../model/killers/killers.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet } from '../coverage.ts';
import { isEventOf } from '../../records/event-container.ts';
import { CLOCKS_MS, CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { isAtMost, isWithin, shift } from '../../records/times.ts';
import { isBeforeLife, lifeFrom } from './event-life.ts';
import { findFirstAct, findSandboxEvent, findSandboxLines } from './kubelet-stop.ts';
import { findEvent, firstTimeOf } from './pod-events.ts';

/** Why the kubelet stopped a container of its own accord: nobody had asked it. */
export interface OwnReason {
  /** The way of `pod-lifecycle`; undefined where nothing tells what had led to it. */
  readonly how: How | undefined;
  /** For a reader: `… stopped the container, because <says>`. */
  readonly says: string;
  readonly ref: EvidenceRef;
  /** Whether the kubelet had found the sandbox of the pod changed. */
  readonly isOfSandbox?: true;
}

/** What the kubelet writes, as an event about the container or its pod: the texts of a way. */
interface OwnEvent extends Pick<OwnReason, 'how' | 'says'> {
  readonly isMeant: (event: KubeEvent, file: GatheredCase) => boolean;
}

/** Texts of startContainer and SyncPod in pkg/kubelet/kuberuntime, and of rejectPod in pkg/kubelet/kubelet.go. */
const EVENTS: readonly OwnEvent[] = [
  {
    how: 'post-start-hook',
    says: 'its postStart hook failed',
    isMeant: ({ reason, message }) =>
      reason === 'FailedPostStartHook' || (reason === 'Killing' && message === 'FailedPostStartHook'),
  },
  {
    how: 'restart-all-containers',
    says: 'another container of the pod had ended, and its rule restarts all of them (RestartAllContainers)',
    isMeant: ({ reason, message }) => reason === 'Killing' && message === 'killing',
  },
  {
    how: undefined,
    says: 'the runtime did not know its state any more',
    isMeant: ({ reason, message }) =>
      reason === 'Killing' && /^(?:Init c|C)ontainer is in "\w+" state, try killing it/.test(message),
  },
  {
    how: 'not-admitted',
    says: 'its node did not admit the pod any more when the kubelet had started again',
    isMeant: (event, { versions, pod }) =>
      event.reason === 'UnexpectedAdmissionError' ||
      isRefusal(event) ||
      versions.some((version) => version.uid === pod.uid && isRejectedBy(version, event)),
  },
];

/**
 * Texts of pkg/kubelet/lifecycle/predicate.go. A pod that ran may end with 0 and be called Succeeded: then its status never
 * says that it was rejected.
 */
function isRefusal({ reason, message }: KubeEvent): boolean {
  return (
    message.startsWith(`Predicate ${reason} failed`) ||
    (reason.startsWith('OutOf') && message.startsWith("Node didn't have enough resource"))
  );
}

/** The kubelet rejects a pod in the words of the event; before 1.26 the status only begins with `Pod `. */
function isRejectedBy({ phase, reason, message }: PodSeen, event: KubeEvent): boolean {
  return (
    phase === 'Failed' &&
    reason === event.reason &&
    [`Pod was rejected: ${event.message}`, `Pod ${event.message}`].includes(message ?? '')
  );
}

/** Finds such reasons, from before the end was decided; those of several ways exclude each other. */
export function findOwnReasons(file: GatheredCase): OwnReason[] {
  const { container } = file.record.victim;
  const until = shift(file.decidedAt ?? file.to, CLOCKS_MS);
  const found = EVENTS.flatMap(({ how, says, isMeant }): OwnReason[] => {
    const event = findEvent(
      file,
      (kubeEvent) =>
        isOfKubelet(kubeEvent) &&
        isEventOf(container, kubeEvent) &&
        isMeant(kubeEvent, file) &&
        isAtMost(firstTimeOf(kubeEvent), until, { unknown: 'counts' }),
    );
    return event === undefined ? [] : [{ how, says, ref: event.ref }];
  });
  return [...found, findSandboxReason(file, until), findSidecarReason(file)].filter(
    (reason) => reason !== undefined,
  );
}

/** The kubelet makes the sandbox of a pod again when it is gone, has other namespaces, or lost its address. */
function findSandboxReason(file: GatheredCase, until: number | undefined): OwnReason | undefined {
  const from = lifeFrom(file);
  const isInTime = (at: number | undefined): boolean => isWithin(at, from, until, { unknown: 'does not' });
  const line = findSandboxLines(file).find(({ at }) => isInTime(at));
  const event = from === undefined ? undefined : findSandboxEvent(file, from);
  const isEventInTime = isInTime(shift(event?.at, CUT_MS)) && !isBeforeLife(event?.at, file);
  const record = line ?? (isEventInTime ? event : undefined);
  if (record === undefined) return undefined;
  return record.ref.text.includes('has no IP address')
    ? {
        how: 'lost-address',
        says: 'the sandbox of its pod had lost its address',
        ref: record.ref,
        isOfSandbox: true,
      }
    : { how: undefined, says: 'the sandbox of its pod had changed', ref: record.ref, isOfSandbox: true };
}

/** A sidecar lives as long as a main container does: all of them had ended when the kubelet began to stop it. */
function findSidecarReason(file: GatheredCase): OwnReason | undefined {
  const { pod, view, versions, end, containerId } = file;
  if (view?.role !== 'sidecar') return undefined;
  const by = findFirstAct(file)?.to ?? end?.at;
  const done = versions.find(
    (version) =>
      version.uid === pod.uid &&
      version.deletionAt === undefined &&
      version.containers.some((other) => other.role === 'main') &&
      version.containers
        .filter((other) => other.role === 'main')
        .every(
          (other) => other.state === 'terminated' && isAtMost(other.finishedAt, by, { unknown: 'does not' }),
        ) &&
      version.containers.some((own) => own.id === containerId),
  );
  return done && { how: 'sidecar-done', says: 'the main containers of its pod had ended', ref: done.ref };
}
