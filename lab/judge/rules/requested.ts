import type { EvidenceRef } from '../../model/formats.ts';
import type { Killer } from '../../model/killers.ts';
import type { KubeEvent, KubeletSaid, RuntimeEvent } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { refs, type Rule } from '../finding.ts';
import { isWhole, type Source } from '../completeness.ts';

/**
 * The runtime stopped the container because somebody asked: kubelet for the API, for a probe, for the node, or a
 * person at the runtime. Who asked is decided by what was written down before, most specific first.
 */
export const judgeRequestedStop: Rule = (file) => {
  const request = findRuntimeStop(file);
  if (request === undefined || file.end === undefined) return undefined;
  const cause = CAUSES.map(([killer, find]) => ({ killer, ref: find(file) })).find(
    (each) => each.ref !== undefined,
  );
  const asked = findKubeletKill(file);
  const because = refs(cause?.ref, request, asked?.ref, file.end.ref);
  const at = file.killingSignal?.sent.at ?? file.end.at;
  if (cause !== undefined) {
    return {
      killer: cause.killer,
      confidence: confidenceOf(file, DECISIVE),
      because,
      at,
      decisive: DECISIVE,
    };
  }
  if (asked !== undefined) {
    const note = 'kubelet stopped the container for a reason that is not known here';
    return { killer: 'unknown', confidence: 'none', because, at, decisive: DECISIVE, note };
  }
  // Without kubelet's own log, its silence proves nothing.
  const confidence = isWhole(file, ['kubelet', 'events']) ? confidenceOf(file, DECISIVE) : 'none';
  const killer = confidence === 'none' ? 'unknown' : 'runtime-stop';
  const note = 'the runtime stopped the container; who asked for it is not known';
  return { killer, confidence, because, at, decisive: [...DECISIVE, 'kubelet', 'events'], note };
};

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];
const SLACK_MS = 2000;

/** Causes in the order in which they are asked. */
const CAUSES: readonly (readonly [Killer, (file: CaseFile) => EvidenceRef | undefined])[] = [
  [
    'preemption',
    (file) => findEvent(file, (each) => each.reason === 'Preempted' || each.reason === 'Preempting'),
  ],
  [
    'kubelet-eviction',
    (file) => podReason(file, /^Evicted$/) ?? findEvent(file, (each) => each.reason === 'Evicted'),
  ],
  ['deadline', (file) => podReason(file, /^DeadlineExceeded$/)],
  ['node-shutdown', (file) => podMessage(file, /node shutdown|Node is shutting/)],
  ['liveness-probe', (file) => findEvent(file, isProbeKill)],
  ['api-deletion', findDeletion],
];

function isProbeKill(event: KubeEvent): boolean {
  return event.reason === 'Killing' && /failed (?:liveness|startup) probe/.test(event.message);
}

function findRuntimeStop(file: CaseFile): EvidenceRef | undefined {
  if (file.killingSignal !== undefined) {
    return file.killingSignal.sender === 'runtime' ? file.killingSignal.sent.ref : undefined;
  }
  // A whole trace in which the container ended without a signal: whoever asked came too late.
  if (file.initExit !== undefined && isWhole(file, ['trace'])) return undefined;
  const endedAt = file.endedAt ?? file.to;
  const stop = file.observations.find(
    (each): each is RuntimeEvent =>
      each.kind === 'runtime-stop' && each.containerId === file.containerId && (each.at ?? 0) <= endedAt,
  );
  return stop?.ref;
}

function findKubeletKill(file: CaseFile): KubeletSaid | undefined {
  return file.observations.find(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' &&
      each.about === 'killing-container' &&
      (each.containerId === file.containerId ||
        (each.containerId === undefined && each.podUid === file.pod.uid)) &&
      (each.at ?? 0) <= file.to,
  );
}

function findEvent(file: CaseFile, wanted: (event: KubeEvent) => boolean): EvidenceRef | undefined {
  const found = file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.objectUid === file.pod.uid &&
      wanted(each) &&
      (each.at ?? 0) <= file.to + SLACK_MS,
  );
  return found?.ref;
}

function podReason(file: CaseFile, reason: RegExp): EvidenceRef | undefined {
  return file.versions.find((each) => each.uid === file.pod.uid && reason.test(each.reason ?? ''))?.ref;
}

function podMessage(file: CaseFile, message: RegExp): EvidenceRef | undefined {
  return file.versions.find((each) => each.uid === file.pod.uid && message.test(each.message ?? ''))?.ref;
}

/** Only a deletion that was asked before the end can be its cause. */
function findDeletion(file: CaseFile): EvidenceRef | undefined {
  const found = file.versions.find((each) => each.uid === file.pod.uid && each.deletionAt !== undefined);
  return found?.deletionAt !== undefined && found.deletionAt <= file.to ? found.ref : undefined;
}

function confidenceOf(file: CaseFile, decisive: readonly Source[]): 'proven' | 'likely' {
  return file.killingSignal !== undefined && isWhole(file, decisive) ? 'proven' : 'likely';
}
