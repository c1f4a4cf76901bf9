import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { KubeEvent } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet } from '../coverage.ts';
import { isEventOf } from '../../records/event-container.ts';
import { CLOCKS_MS, CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { isAtMost, isWithin, shift } from '../../records/times.ts';
import { findSandboxEvent, findSandboxLines, lifeFrom } from './kubelet-stop.ts';
import { findEvent, firstTimeOf } from './pod-events.ts';

/** Why the kubelet stopped a container, where no killer of the list stands for it. */
export interface UnnamedReason {
  /** For a reader: `… stopped the container, because <says>`. */
  readonly says: string;
  readonly ref: EvidenceRef;
}

/** What the kubelet writes of its own accord, as an event about the container or its pod (kuberuntime_container.go). */
const EVENTS: readonly (readonly [says: string, isMeant: (event: KubeEvent) => boolean])[] = [
  [
    'its postStart hook failed',
    ({ reason, message }) =>
      reason === 'FailedPostStartHook' || (reason === 'Killing' && message === 'FailedPostStartHook'),
  ],
  [
    'another container of the pod had ended, and its rule restarts all of them (RestartAllContainers)',
    ({ reason, message }) => reason === 'Killing' && message === 'killing',
  ],
  [
    'the runtime did not know its state any more',
    ({ reason, message }) =>
      reason === 'Killing' && /^(?:Init c|C)ontainer is in "\w+" state, try killing it/.test(message),
  ],
  [
    'its node did not admit the pod any more when the kubelet had started again',
    ({ reason }) => reason === 'UnexpectedAdmissionError',
  ],
];

/** Finds such a reason, from before the end was decided; undefined when there is none. */
export function findUnnamedReason(file: GatheredCase): UnnamedReason | undefined {
  const { container } = file.record.victim;
  const until = shift(file.decidedAt ?? file.to, CLOCKS_MS);
  for (const [says, isMeant] of EVENTS) {
    const event = findEvent(
      file,
      (found) =>
        isOfKubelet(found) &&
        isEventOf(container, found) &&
        isMeant(found) &&
        isAtMost(firstTimeOf(found), until, { unknown: 'counts' }),
    );
    if (event !== undefined) return { says, ref: event.ref };
  }
  return findSandboxReason(file, until) ?? findSidecarReason(file);
}

/** The kubelet makes the sandbox of a pod again when it is gone, has other namespaces, or lost its address. */
function findSandboxReason(file: GatheredCase, until: number | undefined): UnnamedReason | undefined {
  const from = lifeFrom(file);
  const isInTime = (at: number | undefined): boolean => isWithin(at, from, until, { unknown: 'does not' });
  const line = findSandboxLines(file).find(({ at }) => isInTime(at));
  const event = from === undefined ? undefined : findSandboxEvent(file, from);
  const record = line ?? (isInTime(shift(event?.at, CUT_MS)) ? event : undefined);
  if (record === undefined) return undefined;
  const says = record.ref.text.includes('has no IP address')
    ? 'the sandbox of its pod had lost its address'
    : 'the sandbox of its pod had changed';
  return { says, ref: record.ref };
}

/** A sidecar lives as long as a main container does. */
function findSidecarReason({
  pod,
  view,
  versions,
  end,
  containerId,
}: GatheredCase): UnnamedReason | undefined {
  if (view?.role !== 'sidecar') return undefined;
  const done = versions.find(
    (version) =>
      version.uid === pod.uid &&
      version.deletionAt === undefined &&
      version.containers.some((other) => other.role === 'main') &&
      version.containers
        .filter((other) => other.role === 'main')
        .every(
          (other) =>
            other.state === 'terminated' && isAtMost(other.finishedAt, end?.at, { unknown: 'does not' }),
        ) &&
      version.containers.some((own) => own.id === containerId),
  );
  return done && { says: 'the main containers of its pod had ended', ref: done.ref };
}
