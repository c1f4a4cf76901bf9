import type { EvidenceRef } from '../model/formats.ts';
import type {
  CellRecord,
  ContainerView,
  Observation,
  PodSeen,
  ProcessExited,
  ProcessSeen,
} from '../model/observation.ts';
import { nodeOf } from './node-of.ts';
import { findOom, type OomEvidence } from './oom-evidence.ts';
import { findFirstDeath, type ContainerEnd } from './victim.ts';
import { findKillingSignal, type KillingSignal } from './signals.ts';

/** Everything about the one container whose fate is judged, gathered once for all rules. */
export interface CaseFile {
  readonly record: CellRecord;
  readonly observations: readonly Observation[];
  /** All versions of the pods that match the victim's selector, oldest first. */
  readonly versions: readonly PodSeen[];
  /** The newest version of the judged pod. */
  readonly pod: PodSeen;
  /** Its node; undefined before it was scheduled. */
  readonly node: string | undefined;
  /** Empty when the container never existed. */
  readonly containerId: string;
  /** The newest state of the container by that name. */
  readonly view: ContainerView | undefined;
  readonly viewRef: EvidenceRef;
  /** How it ended; undefined while it lives, or when nobody reported its end. */
  readonly end: ContainerEnd | undefined;
  readonly processes: readonly ProcessSeen[];
  readonly init: ProcessSeen | undefined;
  readonly initExit: ProcessExited | undefined;
  readonly oom: OomEvidence;
  readonly killingSignal: KillingSignal | undefined;
  /** The best known time of its end, never too early: API times are cut to whole seconds. */
  readonly endedAt: number | undefined;
  /** The stretch of time in which evidence must be whole, milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Clocks of node and host agree this well, and API times are cut to whole seconds. */
const SLACK_MS = 2000;

/** Gathers the case of the first death in the cell, else of the first pod; undefined when no pod matches. */
export function openCase(record: CellRecord, observations: readonly Observation[]): CaseFile | undefined {
  const victim = findFirstDeath(record, observations);
  if (victim === undefined) return undefined;
  const { pod, end, containerId, versions } = victim;
  const processes = findProcesses(observations, containerId);
  const init = findInit(processes);
  const node = pod.node ?? (init === undefined ? undefined : nodeOf(init.ref));
  const initExit = init && findExit(observations, init);
  const view = pod.containers.find((each) => each.name === record.victim.container);
  const oom = findOom(observations, { containerId, processes, node, podUid: pod.uid });
  const endedAt = initExit?.at ?? (end?.at === undefined ? undefined : end.at + 1000) ?? oom.kills[0]?.at;
  return {
    record,
    observations,
    versions,
    pod,
    node,
    containerId,
    view,
    viewRef: pod.ref,
    end,
    processes,
    init,
    initExit,
    oom,
    killingSignal: findKillingSignal(observations, processes, init, endedAt, containerId, end?.exitCode),
    endedAt,
    from: Math.max(Date.parse(record.startedAt), end?.startedAt ?? view?.startedAt ?? 0) - SLACK_MS,
    to: (endedAt ?? Date.parse(record.endedAt)) + (endedAt === undefined ? 0 : SLACK_MS),
  };
}

function findProcesses(observations: readonly Observation[], containerId: string): ProcessSeen[] {
  if (containerId === '') return [];
  return observations.filter(
    (each): each is ProcessSeen => each.kind === 'process-seen' && each.cgroup.includes(containerId),
  );
}

/** Pid 1 of the container's own pid namespace; with a shared namespace, the process whose parent is outside. */
function findInit(processes: readonly ProcessSeen[]): ProcessSeen | undefined {
  const pids = new Set(processes.map((each) => each.pid));
  const first =
    processes.find((each) => each.nsPid === 1) ??
    processes.find((each) => each.nsPid > 0 && !pids.has(each.ppid));
  // The same process is seen again after exec, under the name that a person knows.
  return processes.findLast((each) => each.pid === first?.pid);
}

function findExit(observations: readonly Observation[], init: ProcessSeen): ProcessExited | undefined {
  return observations.find(
    (each): each is ProcessExited =>
      each.kind === 'process-exited' && each.pid === init.pid && nodeOf(each.ref) === nodeOf(init.ref),
  );
}
