import type { CellRecord, PodSeen } from '../../model/evidence/observation.ts';
import { findContainers, type ContainerEnd } from '../records/container-end.ts';
import type { ClusterFacts } from './question.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { findContainerCgroups, type ContainerCgroups } from '../records/container-cgroups.ts';
import { matchesSelector } from '../../model/declared/selector.ts';
import { podWithoutState } from '../records/pod-without-state.ts';
import { API_MS } from '../records/tolerances.ts';
import { compareTimes, earliest } from '../records/times.ts';

/** The judged pod and container. */
export interface Victim {
  readonly versions: readonly PodSeen[];
  readonly pod: PodSeen;
  /** Uids of the pod: a static pod has one on its node and another in the API. */
  readonly uids: readonly string[];
  readonly containerId: string;
  readonly end: ContainerEnd | undefined;
}

/**
 * Finds the first death among the pods that match: of several pods (Jobs of a CronJob) the first that died, of a
 * restarted container its first end. Without any death it is the oldest pod.
 */
export function findFirstDeath(
  record: CellRecord,
  { sandboxed }: ClusterFacts,
  index: EvidenceIndex,
): Victim | undefined {
  const versions = listVictimPods(record, index);
  const uids = [...new Set(versions.map((version) => version.uid))];
  const candidates = uids.map((uid) => {
    const own = versions.filter((version) => version.uid === uid);
    return describeCandidate(own, record, sandboxed, index);
  });
  const first = candidates.sort(
    (a, b) =>
      compareTimes(a.diedAt, b.diedAt, { unknown: 'last' }) ||
      compareTimes(a.bornAt, b.bornAt, { unknown: 'last' }),
  )[0];
  if (first === undefined) return undefined;
  const { pod, uids: own, containerId, end } = first;
  return { versions, pod, uids: own, containerId, end };
}

/** The versions of all pods that match, as the API has them, or its node where the API was not asked. */
export function listVictimPods(record: CellRecord, index: EvidenceIndex): PodSeen[] {
  return record.victim.onNode === undefined ? listVersions(record, index) : listOnNode(record, index);
}

function listVersions({ victim }: CellRecord, index: EvidenceIndex): PodSeen[] {
  return index
    .of('pod-seen')
    .filter(
      (version) => version.namespace === victim.namespace && matchesSelector(victim.selector, version.labels),
    );
}

/** The pods of that name that the runtime made a sandbox for, where the API was not asked: names and uids, and no state. */
function listOnNode({ victim, nodes }: CellRecord, index: EvidenceIndex): PodSeen[] {
  const made = index
    .of('sandbox-created')
    .filter(({ namespace, pod }) => namespace === victim.namespace && pod === victim.onNode);
  const firsts = made.filter(
    ({ podUid }, index) => made.findIndex((sandbox) => sandbox.podUid === podUid) === index,
  );
  return firsts.map(({ podUid, ref, boot, at, node = nodes[0], namespace = '', pod = '' }) =>
    podWithoutState({
      ref,
      boot,
      namespace,
      name: pod,
      uid: podUid,
      createdAt: at,
      node,
      containers: [],
    }),
  );
}

interface Candidate {
  readonly pod: PodSeen;
  readonly uids: readonly string[];
  readonly containerId: string;
  readonly end: ContainerEnd | undefined;
  readonly diedAt: number | undefined;
  readonly bornAt: number | undefined;
}

function describeCandidate(
  own: readonly PodSeen[],
  record: CellRecord,
  sandboxed: boolean,
  index: EvidenceIndex,
): Candidate {
  const uids = uidsOf(own);
  const { ids, end } = findContainers(own, record.victim.container, {
    index,
    uids,
    since: Date.parse(record.startedAt) - API_MS,
  });
  const containerId = end?.containerId ?? ids[0] ?? '';
  const newest = own.at(-1) as PodSeen;
  const cgroups = findContainerCgroups(sandboxed, uids, ids);
  return {
    pod: newest,
    uids,
    containerId,
    end,
    diedAt: earliest([end?.at, firstOomAt(cgroups, index)]),
    bornAt: newest.createdAt,
  };
}

/** A node knows a static pod by the hash of its configuration, the API by the uid of its mirror. */
export function uidsOf(own: readonly PodSeen[]): string[] {
  return [...new Set(own.flatMap((pod) => [pod.uid, pod.mirrorOf ?? pod.uid]))].filter((uid) => uid !== '');
}

/**
 * The first OOM kill in these cgroups. An OOM kill of a child leaves the container alive, but it is a death in the
 * cell.
 */
function firstOomAt(cgroups: ContainerCgroups, index: EvidenceIndex): number | undefined {
  const times = index
    .of('kernel-oom-context')
    .flatMap((context) =>
      context.spared !== true && context.taskMemcg !== undefined && cgroups.holds(context.taskMemcg)
        ? [context.at]
        : [],
    );
  return earliest(times);
}
