import type { EvidenceRef } from '../model/formats.ts';
import type { CellRecord, ContainerView, Observation, PodSeen, RuntimeEvent } from '../model/observation.ts';
import { findPlace, type Place } from './place.ts';
import { matchesSelector } from './selector.ts';

/** How a container ended, as the API (else the runtime) reported it. */
export interface ContainerEnd {
  readonly containerId: string;
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
  readonly startedAt: number | undefined;
  /** Milliseconds since the epoch; API times are cut to whole seconds. */
  readonly at: number | undefined;
  readonly ref: EvidenceRef;
}

/** The pod and container whose fate is judged. */
export interface Victim {
  readonly versions: readonly PodSeen[];
  readonly pod: PodSeen;
  readonly containerId: string;
  readonly end: ContainerEnd | undefined;
}

/**
 * Finds the first death among the pods that match: with several pods (Jobs of a CronJob) the first that died, with
 * a restarted container its first end. Without any death it is the oldest pod.
 */
export function findFirstDeath(record: CellRecord, observations: readonly Observation[]): Victim | undefined {
  const versions = observations.filter(
    (each): each is PodSeen =>
      each.kind === 'pod-seen' &&
      each.namespace === record.victim.namespace &&
      matchesSelector(record.victim.selector, each.labels),
  );
  const uids = [...new Set(versions.map((each) => each.uid))];
  const candidates = uids.map((uid) => {
    const own = versions.filter((each) => each.uid === uid);
    return describeCandidate(own, record, observations);
  });
  const first = candidates.sort((a, b) => a.diedAt - b.diedAt || a.bornAt - b.bornAt)[0];
  return first && { versions, pod: first.pod, containerId: first.containerId, end: first.end };
}

interface Candidate {
  readonly pod: PodSeen;
  readonly containerId: string;
  readonly end: ContainerEnd | undefined;
  readonly diedAt: number;
  readonly bornAt: number;
}

function describeCandidate(
  own: readonly PodSeen[],
  record: CellRecord,
  observations: readonly Observation[],
): Candidate {
  const { container } = record.victim;
  const views = own.flatMap((pod) =>
    pod.containers.filter((each) => each.name === container).map((view) => ({ pod, view })),
  );
  const ids = [...new Set(views.flatMap(({ view }) => [view.last?.id ?? '', view.id]))].filter(
    (id) => id !== '',
  );
  const ends = views.flatMap(({ pod, view }) => endsIn(pod, view)).sort(byTime);
  const end = ends[0] ?? exitOf(ids[0], observations);
  const containerId = end?.containerId ?? ids[0] ?? '';
  const newest = own.at(-1) as PodSeen;
  return {
    pod: newest,
    containerId,
    end,
    diedAt: Math.min(end?.at ?? Infinity, firstOomAt(findPlace(record, newest.uid, ids), observations)),
    bornAt: newest.createdAt ?? Infinity,
  };
}

function endsIn(pod: PodSeen, view: ContainerView): ContainerEnd[] {
  const ends: ContainerEnd[] = [];
  if (view.last !== undefined) {
    const { id, exitCode, reason, startedAt, finishedAt } = view.last;
    ends.push({ containerId: id, exitCode, reason, startedAt, at: finishedAt ?? pod.at, ref: pod.ref });
  }
  if (view.state === 'terminated') {
    const { id, exitCode, reason, startedAt, finishedAt } = view;
    ends.push({ containerId: id, exitCode, reason, startedAt, at: finishedAt ?? pod.at, ref: pod.ref });
  }
  return ends;
}

/** A pod that was deleted may never report how its container ended; the runtime still may have said it. */
function exitOf(id: string | undefined, observations: readonly Observation[]): ContainerEnd | undefined {
  const exit = observations.find(
    (each): each is RuntimeEvent =>
      each.kind === 'runtime-exit' && each.execId === undefined && each.containerId === id,
  );
  if (exit === undefined) return undefined;
  const { containerId, exitStatus, at, ref } = exit;
  return { containerId, exitCode: exitStatus, reason: undefined, startedAt: undefined, at, ref };
}

/** An OOM kill of a child leaves the container alive; it is a death in the cell all the same. */
function firstOomAt(place: Place, observations: readonly Observation[]): number {
  const times = observations.flatMap((each) =>
    each.kind === 'kernel-oom-context' && each.taskMemcg !== undefined && place.holds(each.taskMemcg)
      ? [each.at ?? Infinity]
      : [],
  );
  return Math.min(Infinity, ...times);
}

function byTime(a: ContainerEnd, b: ContainerEnd): number {
  return (a.at ?? Infinity) - (b.at ?? Infinity);
}
