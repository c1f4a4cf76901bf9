import { isRequested } from '../../model/killers/killers.ts';
import { describeNoToldEnd, describeToldEnd } from '../../model/saved/api-claim.ts';
import type { Claim } from '../../model/saved/formats.ts';
import type { KubeletSaid } from '../../model/evidence/observation.ts';
import type { CaseFile } from '../case/case-file.ts';
import { findGaps, isOfKubelet, isWhole, type Source } from '../case/coverage.ts';
import { findEvictedByLog } from '../case/requests/evicted-by-log.ts';
import type { Conclusion } from '../killer/conclusion.ts';
import { findEndRecord, findToldEnd, listRuntimeEvents, runtimeWords } from '../case/end-words.ts';
import { isEvictionEvent } from '../records/eviction-lines.ts';
import { kubeletLinesOf } from '../records/kubelet-lines.ts';
import { isBefore } from '../records/times.ts';
import { describeCountedOoms } from './counted-ooms.ts';

/** What each layer said about the victim, and whether it is right. Null: the layer said nothing about it. */
export function collectClaims(file: CaseFile, finding: Conclusion): Claim[] {
  return [
    kernelClaim(file, finding),
    cgroupClaim(file, finding),
    runtimeClaim(file, finding),
    kubeletClaim(file, finding),
    apiClaim(file, finding),
  ];
}

function isOom(finding: Conclusion): boolean {
  return finding.killer === 'memcg-oom' || finding.killer === 'global-oom';
}

/** A layer that says "OOM" or "no OOM" agrees when that is so; about an unknown killer nobody can be right. */
function agrees(saysOom: boolean, finding: Conclusion): boolean | null {
  return finding.killer === 'unknown' ? null : saysOom === isOom(finding);
}

/** An OOM kill that was seen did happen. Where something else ended the container it says nothing about that. */
function sawKill(finding: Conclusion): boolean | null {
  return isOom(finding) ? true : null;
}

const NOTHING = 'nothing about this container';

/**
 * Why nobody knows whether a layer that said nothing did say something; undefined where its source is whole.
 *
 * @param subject what the source is to the layer, with its verb: `its log is`.
 */
function tellUnheard(file: CaseFile, source: Source, subject: string): string | undefined {
  // A source is not silent about a container that the runtime never named.
  const gaps = findGaps(file, [source]).filter(({ kind }) => kind !== 'silent' || file.containerId !== '');
  if (gaps.length === 0) return undefined;
  return gaps.some(({ kind }) => kind === 'absent')
    ? `${subject} not in the input`
    : `${subject} missing or incomplete`;
}

function kernelClaim(file: CaseFile, finding: Conclusion): Claim {
  const { kill } = file.oom;
  if (kill !== undefined) {
    const where =
      file.oom.context?.oomMemcg === undefined ? '' : ` for the limit of ${file.oom.context.oomMemcg}`;
    const asked = file.oom.context?.byHand === undefined ? '' : ', asked for by hand with SysRq f,';
    const says = `OOM killer (${kill.scope})${asked} killed pid ${kill.pid} (${kill.comm})${where}`;
    return { layer: 'kernel', says, agrees: sawKill(finding) };
  }
  const unheard = tellUnheard(file, 'kmsg', 'its log is');
  if (unheard !== undefined) return { layer: 'kernel', says: unheard, agrees: null };
  return { layer: 'kernel', says: 'no OOM kill of this container', agrees: agrees(false, finding) };
}

function cgroupClaim(file: CaseFile, finding: Conclusion): Claim {
  const rise = file.oom.counter;
  if (rise !== undefined) {
    const says = `oom_kill went from ${rise.from} to ${rise.to} in ${rise.values.file} of ${rise.values.path}`;
    return { layer: 'cgroup', says, agrees: sawKill(finding) };
  }
  const read = file.index
    .of('cgroup-values')
    .findLast(
      (reading) =>
        file.containerId !== '' && file.cgroups.holds(reading.path) && reading.values.oom_kill !== undefined,
    );
  if (read === undefined) {
    const says = tellUnheard(file, 'cgroup', 'its counters are') ?? 'no counter of the container was read';
    return { layer: 'cgroup', says, agrees: null };
  }
  const { kill } = file.oom;
  if (kill?.at !== undefined && isBefore(read.at, kill.at, { unknown: 'counts' }))
    return { layer: 'cgroup', says: 'its counters were not read again after the kill', agrees: null };
  return {
    layer: 'cgroup',
    says: `oom_kill stayed at ${read.values.oom_kill ?? '?'}`,
    agrees: agrees(false, finding),
  };
}

function runtimeClaim(file: CaseFile, finding: Conclusion): Claim {
  const parts = runtimeWords(file);
  if (parts.length === 0) {
    const says = tellUnheard(file, 'containerd', 'its log is') ?? NOTHING;
    return { layer: 'runtime', says, agrees: null };
  }
  const record = findEndRecord(file);
  const says = parts.join(', ');
  // An exit does not name its cause: containerd logs TaskOOM separately, and containerd 1.6 logs no exit status.
  // A record of the end does name it, and the API only repeats that.
  if (record?.reason === 'OOMKilled') return { layer: 'runtime', says, agrees: agrees(true, finding) };
  const heardOfOom = listRuntimeEvents(file).some((event) => event.kind === 'runtime-oom');
  if (heardOfOom) return { layer: 'runtime', says, agrees: sawKill(finding) };
  return { layer: 'runtime', says, agrees: record?.reason === 'Error' && isOom(finding) ? false : null };
}

const KUBELET_SAYS: Partial<Record<KubeletSaid['about'], string>> = {
  'container-died': 'the container died',
  'container-removed': 'it removed the dead container',
};

/** What the kubelet said of the end, and what its metrics count beside it. */
function kubeletClaim(file: CaseFile, finding: Conclusion): Claim {
  const claim = endByKubelet(file, finding);
  const counted = describeCountedOoms(file);
  return counted === undefined ? claim : { ...claim, says: `${claim.says}; ${counted}` };
}

/** The kubelet speaks in two places, its log and its events: whichever nobody heard is named. */
function endByKubelet(file: CaseFile, finding: Conclusion): Claim {
  const layer = 'kubelet';
  const event = file.index
    .of('kube-event')
    .find(
      (kubeEvent) =>
        file.uids.includes(kubeEvent.objectUid) &&
        isOfKubelet(kubeEvent) &&
        (['Killing', 'Preempting'].includes(kubeEvent.reason) || isEvictionEvent(kubeEvent)),
    );
  const requested = isRequested(finding.killer) ? true : null;
  if (event !== undefined) return { layer, says: `${event.reason}: ${event.message}`, agrees: requested };
  const noEvents = tellUnheard(file, 'events', 'its events are');
  const beside = noEvents === undefined || isOfStranger(file) ? '' : `; ${noEvents}`;
  if (findEvictedByLog(file) !== undefined)
    return { layer, says: `it evicted the pod${beside}`, agrees: requested };
  const line = findKubeletLine(file);
  if (line !== undefined)
    return { layer, says: `${KUBELET_SAYS[line.about] ?? line.message}${beside}`, agrees: null };
  return { layer, says: tellUnheard(file, 'kubelet', 'its log is') ?? noEvents ?? NOTHING, agrees: null };
}

/** Who gives something of his own gives what he has: a source that he never mentions is not missed beside what he gave. */
function isOfStranger({ record }: CaseFile): boolean {
  return record.expected === undefined;
}

/** What the kubelet did afterwards says less than what it saw. */
function findKubeletLine(file: CaseFile): KubeletSaid | undefined {
  const own = file.containerId === '' ? [] : kubeletLinesOf(file.index, file.containerId, file.uids);
  const lines = own.filter((said) => !['other', 'pod-told', 'pod-removed'].includes(said.about));
  return lines.find((said) => said.about !== 'container-removed') ?? lines[0];
}

function apiClaim(file: CaseFile, finding: Conclusion): Claim {
  const { view } = file;
  const end = findToldEnd(file);
  if (end?.exitCode !== undefined) {
    const says = describeToldEnd({ reason: end.reason, exitCode: end.exitCode });
    return { layer: 'api', says, agrees: agrees(end.reason === 'OOMKilled', finding) };
  }
  if (file.pod.ref.source !== 'pod') return { layer: 'api', says: 'it was not read', agrees: null };
  if (view === undefined) return { layer: 'api', says: 'no such container', agrees: null };
  const says = describeNoToldEnd(view);
  // A child died, and the container runs: the API has no word for that.
  if (finding.process === 'child' && view.state === 'running') return { layer: 'api', says, agrees: null };
  // What it said last is not what it said of the end.
  if (!isOfStranger(file) && !isWhole(file, ['pods'])) return { layer: 'api', says, agrees: null };
  return {
    layer: 'api',
    says,
    agrees: finding.killer === 'none' ? view.state === 'running' : agrees(false, finding),
  };
}
