import type { EvidenceRef } from '../../model/formats.ts';
import type { ProcessSeen } from '../../model/observation.ts';
import type { CaseFile } from '../case-file.ts';
import { isWhole, type Source } from '../completeness.ts';
import { findLostController } from '../controllers.ts';
import { refs, type Rule } from '../finding.ts';
import { findSandboxLines, findUnexplainedStop, hasOtherReason, podEvents } from '../kubelet-stop.ts';
import { isOfPod } from '../levels.ts';

/**
 * The kubelet found that the pod's cgroup lacks a controller, took it for missing, and killed the pod without a word
 * why: `!pcm.Exists(pod) && !firstSync` in SyncPod (pkg/kubelet/kubelet.go), where Exists is Validate without its
 * error (pkg/kubelet/cm/cgroup_v2_manager_linux.go). The pod is made anew at once.
 *
 * Four signs together name it: the kubelet stopped the container and gave no reason; then it made a new sandbox, which
 * it does not after a deletion or an eviction; a controller had gone from the pod's cgroup when it did so; and the
 * container lay outside of the pod's cgroup, which is how a controller can go. Three of them are a suspicion: unknown.
 */
export const judgeCgroupMissing: Rule = (file) => {
  if (file.killingSignal !== undefined && file.killingSignal.sender !== 'runtime') return undefined;
  if (file.end === undefined && file.initExit === undefined) return undefined;
  if (hasOtherReason(file)) return undefined;
  const stop = findUnexplainedStop(file);
  const killedAt = stop.line?.at ?? file.killingSignal?.sent.at ?? stop.event?.at;
  if (killedAt === undefined || sandboxDiedFirst(file, killedAt)) return undefined;
  const sandbox = findNewSandbox(file, killedAt);
  const lost = findLostController(file, killedAt);
  const outside = findOutside(file);
  const missing = [
    ...((stop.line ?? stop.event) ? [] : ['that the kubelet stopped the container']),
    ...(sandbox === undefined ? ['that the kubelet made a new sandbox for the pod'] : []),
    ...(lost === undefined ? ["that a controller had gone from the pod's cgroup"] : []),
    ...(outside === undefined ? ["that the container lay outside of the pod's cgroup"] : []),
  ];
  if (missing.length > 1) return undefined;
  const because = refs(
    ...[stop.line?.ref, stop.event?.ref, lost?.gone.ref, lost?.before.ref],
    ...[outside?.ref, sandbox, file.killingSignal?.sent.ref, file.end?.ref],
  );
  const base = { because, at: file.killingSignal?.sent.at ?? killedAt, decisive: DECISIVE };
  if (missing.length > 0) {
    const note = `it looks as if the kubelet missed a controller of the pod's cgroup, but it was not seen ${missing.join(', ')}`;
    return { ...base, killer: 'unknown', confidence: 'none', note };
  }
  const proven = file.killingSignal !== undefined && stop.line !== undefined && isWhole(file, DECISIVE);
  return { ...base, killer: 'kubelet-cgroup-missing', confidence: proven ? 'proven' : 'likely' };
};

/** No OOM kill, no other signal, and every change of the cgroups. What kubelet and API said is there, or is missed. */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** Times of events are cut to whole seconds. */
const CUT_MS = 1000;
/** The kubelet's own line has a precise time; the event may be all there is. */
function findNewSandbox(file: CaseFile, killedAt: number): EvidenceRef | undefined {
  const line = findSandboxLines(file).find((each) => (each.at ?? 0) >= killedAt);
  const event = podEvents(file).find(
    (each) => each.reason === 'SandboxChanged' && (each.at ?? 0) + CUT_MS >= killedAt,
  );
  return line?.ref ?? event?.ref;
}

/** A kubelet that misses the sandbox first, and stops its containers afterwards, only tidies up. */
function sandboxDiedFirst(file: CaseFile, killedAt: number): boolean {
  return findSandboxLines(file).some(
    (each) => each.at !== undefined && each.at >= file.from && each.at < killedAt,
  );
}

/** A process of the container whose cgroup has no part that is the pod's. */
function findOutside(file: CaseFile): ProcessSeen | undefined {
  const isInside = (path: string): boolean => isOfPod(path.slice(0, path.lastIndexOf('/')), file.pod.uid);
  if (file.processes.some((each) => isInside(each.cgroup))) return undefined;
  return file.processes.find((each) => each.pid === file.init?.pid) ?? file.processes[0];
}
