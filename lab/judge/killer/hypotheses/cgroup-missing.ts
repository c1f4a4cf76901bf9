import { isOfPod } from '../../../model/evidence/cgroup-path.ts';
import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { ProcessSeen } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import type { Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { KUBELET_STOP, leftUnexplained } from '../traces.ts';
import { findLostController } from '../../case/lost-controller.ts';
import type { Source } from '../../case/coverage.ts';
import { isForOthers } from '../../case/killing-signal.ts';
import {
  findSandboxEvent,
  findSandboxLine,
  findSandboxLines,
  findStops,
} from '../../case/requests/kubelet-stop.ts';

/**
 * The kubelet found that the pod's cgroup lacks a controller, took the cgroup for missing, and killed the pod without
 * giving a reason: `!pcm.Exists(pod) && !firstSync` in SyncPod (pkg/kubelet/kubelet.go), where Exists is Validate
 * without its error (pkg/kubelet/cm/cgroup_v2_manager_linux.go). It starts the pod again at once.
 *
 * Four signs together name it. The kubelet stopped the container and gave no reason. Then it made a new sandbox, which
 * it does not after a deletion or an eviction. A controller had gone from the pod's cgroup by then. The container was
 * outside of the pod's cgroup, which is how a controller can go. With three of them the killer is unknown.
 */
const hearCgroupMissing = (file: CaseFile): Conclusion | undefined => {
  if (file.killingSignal !== undefined && !isForOthers(file.killingSignal.sender)) return undefined;
  if (file.end === undefined && file.initExit === undefined) return undefined;
  if (file.requests.cause !== undefined) return undefined;
  const stops = findStops(file).filter((stop) => stop.reason === undefined);
  const line = stops.find((stop) => stop.record.kind === 'kubelet-said')?.record;
  const event = stops.find((stop) => stop.record.kind === 'kube-event')?.record;
  const killedAt = line?.at ?? file.killingSignal?.stop.at ?? event?.at;
  if (killedAt === undefined || sandboxDiedFirst(file, killedAt)) return undefined;
  const sandbox = findNewSandbox(file, killedAt);
  const lost = findLostController(file, killedAt);
  const outside = findOutside(file);
  const missing = [
    ...((line ?? event) ? [] : ['that the kubelet stopped the container']),
    ...(sandbox === undefined ? ['that the kubelet made a new sandbox for the pod'] : []),
    ...(lost === undefined ? ["that a controller had gone from the pod's cgroup"] : []),
    ...(outside === undefined ? ["that the container lay outside of the pod's cgroup"] : []),
  ];
  if (missing.length > 1) return undefined;
  const base = {
    steps: {
      cause: [lost?.before.ref, lost?.gone.ref, outside?.ref],
      request: [line?.ref, event?.ref],
      signal: [file.killingSignal?.sent.ref],
      end: [file.end?.ref],
      consequence: [sandbox],
    },
    at: file.killingSignal?.sent.at ?? killedAt,
    decisive: DECISIVE,
  };
  if (missing.length > 0) {
    const note = `it looks as if the kubelet missed a controller of the pod's cgroup, but it was not seen ${missing.join(', ')}`;
    return { ...base, killer: 'unknown', note };
  }
  const doubts = [
    ...(file.killingSignal === undefined ? ['nobody traced the signal'] : []),
    ...(line === undefined ? ['the kubelet did not log that it stops the container'] : []),
  ];
  return { ...base, killer: 'kubelet-cgroup-missing', doubts };
};

/**
 * For: no OOM kill, no other signal, every change of the cgroups. The rule itself asks for records of kubelet and API.
 */
const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace'];
/** The kubelet's line that it makes a new sandbox, which has a precise time; else its event. */
function findNewSandbox(file: CaseFile, killedAt: number): EvidenceRef | undefined {
  return (findSandboxLine(file, killedAt) ?? findSandboxEvent(file, killedAt))?.ref;
}

/** A kubelet that misses the sandbox before it stops the containers only cleans up. */
function sandboxDiedFirst(file: CaseFile, killedAt: number): boolean {
  return findSandboxLines(file).some(
    (line) => line.at !== undefined && line.at >= file.from && line.at < killedAt,
  );
}

/** A process of the container, when no cgroup of the container is inside that of the pod. */
function findOutside(file: CaseFile): ProcessSeen | undefined {
  const isInside = (path: string): boolean =>
    file.uids.some((uid) => isOfPod(path.slice(0, path.lastIndexOf('/')), uid));
  if (file.processes.some((seen) => isInside(seen.cgroup))) return undefined;
  return file.processes.find((seen) => seen.pid === file.init?.pid) ?? file.processes[0];
}

/** The kubelet took the pod's cgroup for missing. */
export const CGROUP_MISSING: Hypothesis = {
  what: 'a cgroup of the pod that lacked a controller',
  killers: ['kubelet-cgroup-missing'],
  acts: ['runtime', 'itself'],
  left: {
    ...KUBELET_STOP,
    sources: [['cgroup'], ...KUBELET_STOP.sources],
    isSeen: () => false,
    leftOpen: (file) => leftUnexplained(file, ['cgroup']),
  },
  against: ({ requests }) =>
    requests.cause === undefined ? undefined : 'somebody had asked for its end, as records from before tell',
  recordsAgainst: ({ requests }) => requests.cause?.refs ?? [],
  hear: hearCgroupMissing,
};
