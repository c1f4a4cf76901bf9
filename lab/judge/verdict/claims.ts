import { isRequested } from '../../model/killers/killers.ts';
import { describeNoToldEnd, describeToldEnd } from '../../model/saved/api-claim.ts';
import type { Claim } from '../../model/saved/formats.ts';
import type { KubeletSaid } from '../../model/evidence/observation.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isWhole } from '../case/coverage.ts';
import { findEvictedByLog } from '../case/requests/evicted-by-log.ts';
import type { Conclusion } from '../killer/conclusion.ts';
import { findEndRecord, findToldEnd, listRuntimeEvents, runtimeWords } from '../case/end-words.ts';
import { kubeletLinesOf } from '../records/kubelet-lines.ts';
import { isBefore } from '../records/times.ts';

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

function kernelClaim(file: CaseFile, finding: Conclusion): Claim {
  const { kill } = file.oom;
  if (kill !== undefined) {
    const where =
      file.oom.context?.oomMemcg === undefined ? '' : ` for the limit of ${file.oom.context.oomMemcg}`;
    const asked = file.oom.context?.byHand === undefined ? '' : ', asked for by hand with SysRq f,';
    const says = `OOM killer (${kill.scope})${asked} killed pid ${kill.pid} (${kill.comm})${where}`;
    return { layer: 'kernel', says, agrees: sawKill(finding) };
  }
  if (!isWhole(file, ['kmsg'])) return { layer: 'kernel', says: 'its log is incomplete', agrees: null };
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
  if (read === undefined)
    return { layer: 'cgroup', says: 'no counter of the container was read', agrees: null };
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
  if (parts.length === 0) return { layer: 'runtime', says: 'nothing about this container', agrees: null };
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

function kubeletClaim(file: CaseFile, finding: Conclusion): Claim {
  const event = file.index
    .of('kube-event')
    .find(
      (kubeEvent) =>
        file.uids.includes(kubeEvent.objectUid) &&
        ['Killing', 'Evicted', 'Preempting'].includes(kubeEvent.reason),
    );
  const own = file.containerId === '' ? [] : kubeletLinesOf(file.index, file.containerId, file.uids);
  const lines = own.filter((said) => !['other', 'pod-told', 'pod-removed'].includes(said.about));
  // What the kubelet did afterwards says less than what it saw.
  const line = lines.find((said) => said.about !== 'container-removed') ?? lines[0];
  if (event !== undefined) {
    return {
      layer: 'kubelet',
      says: `${event.reason}: ${event.message}`,
      agrees: isRequested(finding.killer) ? true : null,
    };
  }
  if (findEvictedByLog(file) !== undefined)
    return {
      layer: 'kubelet',
      says: 'it evicted the pod',
      agrees: isRequested(finding.killer) ? true : null,
    };
  if (line === undefined) return { layer: 'kubelet', says: 'nothing about this container', agrees: null };
  const says = KUBELET_SAYS[line.about] ?? line.message;
  return { layer: 'kubelet', says, agrees: null };
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
  return {
    layer: 'api',
    says,
    agrees: finding.killer === 'none' ? view.state === 'running' : agrees(false, finding),
  };
}
