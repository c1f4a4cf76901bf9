import type { EvidenceRef } from '../../model/formats.ts';
import type { KubeletSaid, KubeEvent, RuntimeEvent } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { refs, type Rule } from '../finding.ts';
import { findCause } from '../requests.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];

/**
 * The runtime stopped the container because somebody asked: kubelet for the API, for a probe, for the node, or a
 * person at the runtime. Who asked is decided by what was written down before, most specific first.
 */
export const judgeRequestedStop: Rule = (file) => {
  const request = findRuntimeStop(file);
  if (request === undefined || (file.end === undefined && file.initExit === undefined)) return undefined;
  const cause = findCause(file);
  const asked = findKubeletKill(file);
  const because = refs(...(cause?.refs ?? []), request, asked, file.end?.ref ?? file.initExit?.ref);
  const at = file.killingSignal?.sent.at ?? file.end?.at;
  if (cause !== undefined) {
    const { killer, how } = cause;
    return { killer, how, confidence: confidenceOf(file, DECISIVE), because, at, decisive: DECISIVE };
  }
  if (asked !== undefined) {
    const note = 'kubelet stopped the container for a reason that is not known here';
    return { killer: 'unknown', confidence: 'none', because, at, decisive: DECISIVE, note };
  }
  // Without kubelet's own log, its silence proves nothing; a lost record may be the signal that hit the shim.
  const confidence = isWhole(file, ['kubelet', 'events', 'trace']) ? confidenceOf(file, DECISIVE) : 'none';
  const killer = confidence === 'none' ? 'unknown' : 'runtime-stop';
  const note = 'the runtime stopped the container; who asked for it is not known';
  return { killer, confidence, because, at, decisive: [...DECISIVE, 'kubelet', 'events'], note };
};

/** Times of events are cut to whole seconds. */
const CUT_MS = 1000;

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

/** That the kubelet asked: its log below verbosity 2 is silent about it, its event `Killing` is not. */
function findKubeletKill(file: CaseFile): EvidenceRef | undefined {
  const { container } = file.record.victim;
  const line = file.observations.find(
    (each): each is KubeletSaid =>
      each.kind === 'kubelet-said' &&
      each.about === 'killing-container' &&
      (each.containerId === file.containerId ||
        (each.containerId === undefined && each.podUid === file.pod.uid)) &&
      (each.at ?? 0) <= file.to,
  );
  const event = file.observations.find(
    (each): each is KubeEvent =>
      each.kind === 'kube-event' &&
      each.reason === 'Killing' &&
      each.objectUid === file.pod.uid &&
      (each.fieldPath === undefined || each.fieldPath.includes(`{${container}}`)) &&
      (each.at ?? 0) <= (file.initExit?.at ?? file.to) + CUT_MS,
  );
  return line?.ref ?? event?.ref;
}

function confidenceOf(file: CaseFile, decisive: readonly Source[]): 'proven' | 'likely' {
  return file.killingSignal !== undefined && isWhole(file, decisive) ? 'proven' : 'likely';
}
