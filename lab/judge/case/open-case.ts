import type {
  BootEnded,
  CellRecord,
  KubeEvent,
  KubeletSaid,
  Observation,
  PodSeen,
  ProcessExited,
  ProcessSeen,
} from '../../model/evidence/observation.ts';
import {
  coverageOf,
  indexEvidence,
  witnessedFrom,
  type EvidenceIndex,
  type Process,
} from '../records/evidence-index.ts';
import { findKillingSignal, listShimKills, listSignals } from './killing-signal.ts';
import { isEventOf } from '../records/event-container.ts';
import { findOom } from './oom-evidence.ts';
import { findInit, findContainerCgroups, findProcesses } from '../records/container-cgroups.ts';
import { findStopRequests } from './requests/find-stop-requests.ts';
import { findSandbox } from './sandbox.ts';
import { findRuntimeCgroups, type SenderContext } from './senders.ts';
import { API_MS, CUT_MS, SEEN_LATE_MS } from '../records/tolerances.ts';
import { findFirstDeath } from './victim.ts';

import type { CaseFile, GatheredCase } from './case-file.ts';

/** Opens the case of the first death in the cell, else of the first pod; undefined when no pod matches. */
export function openCase(record: CellRecord, observations: readonly Observation[]): CaseFile | undefined {
  const gathered = gatherCase(record, indexEvidence(observations));
  return gathered && { ...gathered, requests: findStopRequests(gathered) };
}

function gatherCase(record: CellRecord, index: EvidenceIndex): GatheredCase | undefined {
  const victim = findFirstDeath(record, index);
  if (victim === undefined) return undefined;
  const { pod, uids, end, containerId, versions } = victim;
  const cgroups = findContainerCgroups(record, uids, [containerId]);
  const seen = containerId === '' ? [] : findProcesses(index, cgroups);
  const view = pod.containers.find((each) => each.name === record.victim.container);
  const startedAt = end?.startedAt ?? view?.startedAt;
  const init = findInit(seen, cgroups, metBy(index, seen, startedAt));
  const first = init && index.processes.find((each) => each.first === init || each.latest === init);
  const node = pod.node ?? init?.node;
  const initExit = exitOf(first, cgroups.sandboxed ? end?.at : undefined);
  const told = initExit?.at ?? (end?.at === undefined ? undefined : end.at + CUT_MS);
  const podEvents = findPodEvents(index, uids);
  const kubeletLines = findKubeletLines(index, { containerId, uids, node });
  const asked = {
    index,
    containerId,
    versions,
    podEvents,
    kubeletLines,
    record,
    from: first?.from ?? startedAt,
  };
  const context: SenderContext | undefined = first && {
    index,
    containerId,
    init: first,
    processes: firstsOf(index, seen),
    runtimeCgroups: findRuntimeCgroups(index, first.boot),
    isAsked: (at) => isAsked(at, asked),
  };
  const signals = context === undefined ? [] : listSignals(context, told);
  const killingSignal =
    context && findKillingSignal(signals, context, told, cgroups.sandboxed ? undefined : end?.exitCode);
  const oom = findOom(index, {
    containerId,
    cgroups,
    processes: seen,
    first,
    node,
    uids,
    killingSignal,
    end,
    startedAt,
    endedAt: told,
    isAsked: isAsked(told, asked),
  });
  // While a container lives on, the death of a child is judged, and the case is settled then.
  const settledAt = told ?? oom.kills[0]?.at;
  const slackFrom = Math.max(Date.parse(record.startedAt), startedAt ?? 0) - SEEN_LATE_MS;
  return {
    record,
    index,
    versions,
    pod,
    uids,
    podEvents,
    kubeletLines,
    node,
    containerId,
    cgroups,
    view,
    end,
    viewRef: pod.ref,
    processes: seen,
    first,
    init,
    initExit,
    oom,
    signals,
    killingSignal,
    shimKills: context === undefined ? [] : listShimKills(context, told),
    endedAt: told,
    // In gVisor the sandbox is the first process itself.
    sandbox: cgroups.sandboxed ? undefined : findSandbox(index, versions, { pod, uids, init }),
    bootEnded: findBootEnd(index, node, startedAt),
    decidedAt: killingSignal?.stop.at ?? findFirstStop(index, containerId, told) ?? initExit?.at ?? told,
    from: slackFrom,
    to: settledAt === undefined ? Date.parse(record.endedAt) : settledAt + API_MS,
  };
}

/**
 * When the witness has met the first process of a container: soon after it started, or after the witness began. Where its
 * records of that time are lost, it is before they are.
 */
function metBy(
  index: EvidenceIndex,
  seen: readonly ProcessSeen[],
  startedAt: number | undefined,
): number | undefined {
  const boot = seen[0]?.boot;
  const watched = witnessedFrom(index, boot);
  if (startedAt === undefined || watched === undefined) return undefined;
  const by = Math.max(startedAt, watched) + API_MS + SEEN_LATE_MS;
  const gaps = index
    .of('lost')
    .filter((each) => each.source === 'witness' && each.boot === boot && each.until !== undefined)
    .filter((each) => (each.at ?? Infinity) <= by && (each.until ?? 0) >= startedAt - API_MS);
  return Math.min(by, ...gaps.map((each) => each.at ?? by));
}

/** @param endedAt when the container ended. Its sandbox may outlive it: a later exit is not the container's. */
function exitOf(first: Process | undefined, endedAt: number | undefined): ProcessExited | undefined {
  const exit = first?.exit;
  if (exit?.at === undefined || endedAt === undefined) return exit;
  return exit.at <= endedAt + API_MS ? exit : undefined;
}

/** The first records of the processes that these records belong to. */
function firstsOf(index: EvidenceIndex, seen: readonly ProcessSeen[]): ProcessSeen[] {
  const own = new Set(seen);
  return index.processes.flatMap((each) => (own.has(each.first) || own.has(each.latest) ? [each.first] : []));
}

function findPodEvents(index: EvidenceIndex, uids: readonly string[]): KubeEvent[] {
  return index.of('kube-event').filter((each) => uids.includes(each.objectUid));
}

interface OfContainer {
  readonly containerId: string;
  readonly uids: readonly string[];
  readonly node: string | undefined;
}

/** Lines that name the container, or its pod and no container. */
function findKubeletLines(index: EvidenceIndex, { containerId, uids, node }: OfContainer): KubeletSaid[] {
  if (containerId === '') return [];
  return index
    .of('kubelet-said')
    .filter(
      (each) =>
        each.node === node &&
        (each.containerId === containerId ||
          (each.containerId === undefined && uids.includes(each.podUid ?? ''))),
    );
}

interface Asked {
  readonly index: EvidenceIndex;
  readonly containerId: string;
  readonly versions: readonly PodSeen[];
  readonly podEvents: readonly KubeEvent[];
  readonly kubeletLines: readonly KubeletSaid[];
  readonly record: CellRecord;
  readonly from: number | undefined;
}

/** Whether, by then, the runtime was told to stop this container, or the kubelet meant to, or its pod had to go. */
function isAsked(at: number | undefined, asked: Asked): boolean {
  const { index, containerId, versions, podEvents, kubeletLines, record, from } = asked;
  const isInTime = (each: Observation): boolean =>
    (each.at ?? 0) <= (at ?? Infinity) + SEEN_LATE_MS && (each.at ?? Infinity) >= (from ?? 0) - API_MS;
  if (index.of('runtime-stop').some((each) => each.containerId === containerId && isInTime(each)))
    return true;
  // A runtime that told of this container's start, and of anything after its end, would have told of the request.
  const start = index
    .of('runtime-start')
    .find((each) => each.containerId === containerId && each.ref.source === 'containerd');
  const until = at ?? Infinity;
  const isHeard = (node: string | undefined): boolean =>
    coverageOf(index, 'containerd', node).some(({ to }) => (to ?? 0) >= until - API_MS);
  if (start !== undefined && isHeard(start.node)) return false;
  return (
    kubeletLines.some((each) => each.about === 'killing-container' && isInTime(each)) ||
    podEvents.some(
      (each) => each.reason === 'Killing' && isEventOf(record.victim.container, each) && isInTime(each),
    ) ||
    versions.some((each) => (each.deletionAt ?? Infinity) <= (at ?? -Infinity))
  );
}

/** When the runtime first logs that it stops the container. Where nobody traced its signals, that decides the end. */
function findFirstStop(
  index: EvidenceIndex,
  containerId: string,
  until: number | undefined,
): number | undefined {
  return index
    .of('runtime-stop')
    .find((each) => each.containerId === containerId && (each.at ?? 0) <= (until ?? Infinity))?.at;
}

/** The first boot of the node that ended after the container had started. */
function findBootEnd(
  index: EvidenceIndex,
  node: string | undefined,
  startedAt: number | undefined,
): BootEnded | undefined {
  return index
    .of('boot-ended')
    .find(
      (each) => each.node === node && (startedAt === undefined || (each.nextAt ?? each.at ?? 0) >= startedAt),
    );
}
