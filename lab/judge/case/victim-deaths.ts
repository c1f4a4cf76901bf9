import { largest } from '../../model/text/extremes.ts';
import type { CellRecord, PodSeen } from '../../model/evidence/observation.ts';
import { findEndOf, type ContainerEnd } from '../records/container-end.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { compareTimes, isAtLeast } from '../records/times.ts';
import { API_MS } from '../records/tolerances.ts';
import { listVictimPods, uidsOf, type Victim } from './victim.ts';

/**
 * Every end of the victim's container, the oldest first: of each pod that matches, and of each of its restarts. An end of
 * which no record names the container is one too, with an empty id.
 */
export function listVictimDeaths(record: CellRecord, index: EvidenceIndex): Victim[] {
  const versions = listVictimPods(record, index);
  const uids = [...new Set(versions.map((version) => version.uid))];
  const deaths = uids.flatMap((uid) =>
    listOfPod(
      versions.filter((version) => version.uid === uid),
      versions,
      record,
      index,
    ),
  );
  return deaths.sort((a, b) => compareTimes(a.end?.at, b.end?.at, { unknown: 'last' }));
}

function listOfPod(
  own: readonly PodSeen[],
  versions: readonly PodSeen[],
  record: CellRecord,
  index: EvidenceIndex,
): Victim[] {
  const pod = own.at(-1);
  if (pod === undefined) return [];
  const { container } = record.victim;
  const uids = uidsOf(own);
  const since = Date.parse(record.startedAt) - API_MS;
  const ids = idsByAttempt(own, container, { index, uids, since });
  const newest = largest([...ids.keys()], -1);
  const found: Victim[] = [];
  for (let attempt = newest; attempt >= 0; attempt--) {
    const containerId = ids.get(attempt) ?? '';
    const end = endOf(own, container, containerId, index);
    const [next] = found;
    // A container that has a successor has ended, whoever says so.
    const known =
      end ?? (attempt < newest ? unseenEnd(containerId, next, own, ids.get(attempt + 1)) : undefined);
    if (known !== undefined) found.unshift({ versions, pod, uids, containerId, end: known });
  }
  return found.filter(({ end }) => end?.at === undefined || end.at >= since);
}

function endOf(
  own: readonly PodSeen[],
  name: string,
  containerId: string,
  index: EvidenceIndex,
): ContainerEnd | undefined {
  return containerId === '' ? undefined : findEndOf(own, name, containerId, index);
}

/** The end of a container of which only its successor tells. */
function unseenEnd(
  containerId: string,
  next: Victim | undefined,
  own: readonly PodSeen[],
  successor: string | undefined,
): ContainerEnd | undefined {
  const version =
    own.find(({ containers }) => containers.some(({ id }) => id !== '' && id === successor)) ?? own.at(-1);
  if (version === undefined) return undefined;
  const unknown = { exitCode: undefined, reason: undefined, startedAt: undefined };
  return { containerId, ...unknown, at: next?.end?.startedAt ?? version.at, ref: version.ref };
}

interface Search {
  readonly index: EvidenceIndex;
  readonly uids: readonly string[];
  readonly since: number;
}

/** The containers of one name in a pod by their number, counted from 0, as the API and the runtime number them. */
function idsByAttempt(
  own: readonly PodSeen[],
  name: string,
  { index, uids, since }: Search,
): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const known = new Set<string>();
  const add = (attempt: number, id: string): void => {
    if (id === '' || known.has(id) || ids.has(attempt)) return;
    known.add(id);
    ids.set(attempt, id);
  };
  for (const created of index.of('runtime-created'))
    if (
      created.container === name &&
      created.attempt !== undefined &&
      uids.includes(created.podUid) &&
      isAtLeast(created.at, since, { unknown: 'counts' })
    )
      add(created.attempt, created.containerId);
  for (const pod of own)
    for (const view of pod.containers.filter((view) => view.name === name)) {
      add(view.restartCount, view.id);
      // A container that waits for its next start is the last one as well.
      if (view.last !== undefined) add(Math.max(0, view.restartCount - 1), view.last.id);
    }
  return ids;
}
