import type { EvidenceRef } from '../model/formats.ts';
import type {
  BootEnded,
  CellRecord,
  ContainerView,
  Observation,
  PodSeen,
  ProcessExited,
  ProcessSeen,
  SignalSent,
} from '../model/observation.ts';
import type { ContainerEnd } from './container-end.ts';
import { findOom, type OomEvidence } from './oom-evidence.ts';
import { findFirstDeath } from './victim.ts';
import { findInit, findPlace, findProcesses, type Place } from './place.ts';
import { findSandbox, type Sandbox } from './sandbox.ts';
import { findKillingSignal, findStopRequest, type KillingSignal } from './signals.ts';

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
  /** The cgroups that hold its processes. */
  readonly place: Place;
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
  /** That somebody outside had asked its first process to stop, at any time before its end. */
  readonly stopRequest: SignalSent | undefined;
  /** The pod's sandbox, when the witness met it. */
  readonly sandbox: Sandbox | undefined;
  /** The end of the boot in which the container lived, when its node started anew in the cell. */
  readonly bootEnded: BootEnded | undefined;
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
  const place = findPlace(record, pod.uid, [containerId]);
  const processes = containerId === '' ? [] : findProcesses(observations, place);
  const init = findInit(processes, place);
  const node = pod.node ?? (init === undefined ? undefined : init.node);
  const initExit = init && findExit(observations, init, place.sandboxed ? end?.at : undefined);
  const view = pod.containers.find((each) => each.name === record.victim.container);
  const told = initExit?.at ?? (end?.at === undefined ? undefined : end.at + 1000);
  const oom = findOom(observations, {
    ...{ containerId, place, processes, init, node, podUid: pod.uid },
    endedAt: told,
  });
  const endedAt = told ?? oom.kills[0]?.at;
  return {
    record,
    observations,
    versions,
    pod,
    node,
    containerId,
    place,
    view,
    viewRef: pod.ref,
    end,
    processes,
    init,
    initExit,
    oom,
    // gVisor's sandbox is the container's own first process here.
    sandbox: place.sandboxed ? undefined : findSandbox(observations, versions, pod, init),
    bootEnded: findBootEnd(observations, node, end?.startedAt ?? view?.startedAt),
    killingSignal: findKillingSignal(observations, processes, init, endedAt, containerId, end?.exitCode),
    stopRequest: findStopRequest(observations, processes, init, endedAt, containerId),
    endedAt,
    from: Math.max(Date.parse(record.startedAt), end?.startedAt ?? view?.startedAt ?? 0) - SLACK_MS,
    to: (endedAt ?? Date.parse(record.endedAt)) + (endedAt === undefined ? 0 : SLACK_MS),
  };
}

/** @param endedAt the end of a container that its sandbox may outlive: a later exit is not the container's. */
function findExit(
  observations: readonly Observation[],
  init: ProcessSeen,
  endedAt: number | undefined,
): ProcessExited | undefined {
  return observations.find(
    (each): each is ProcessExited =>
      each.kind === 'process-exited' &&
      each.pid === init.pid &&
      each.boot === init.boot &&
      (endedAt === undefined || each.at === undefined || each.at <= endedAt + SLACK_MS),
  );
}

/** The first boot of the node that ended after the container had started. */
function findBootEnd(
  observations: readonly Observation[],
  node: string | undefined,
  startedAt: number | undefined,
): BootEnded | undefined {
  return observations.find(
    (each): each is BootEnded =>
      each.kind === 'boot-ended' &&
      each.node === node &&
      (startedAt === undefined || (each.nextAt ?? each.at ?? 0) >= startedAt),
  );
}
