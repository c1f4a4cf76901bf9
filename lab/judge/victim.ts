import type { CellRecord, Observation, PodSeen } from '../model/observation.ts';
import { findContainers, type ContainerEnd } from './container-end.ts';
import { findPlace, type Place } from './place.ts';
import { matchesSelector } from './selector.ts';

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
  const { ids, end } = findContainers(own, record.victim.container, observations);
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

/** An OOM kill of a child leaves the container alive; it is a death in the cell all the same. */
function firstOomAt(place: Place, observations: readonly Observation[]): number {
  const times = observations.flatMap((each) =>
    each.kind === 'kernel-oom-context' && each.taskMemcg !== undefined && place.holds(each.taskMemcg)
      ? [each.at ?? Infinity]
      : [],
  );
  return Math.min(Infinity, ...times);
}
