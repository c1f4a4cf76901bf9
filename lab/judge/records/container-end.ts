import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { ContainerView, PodSeen } from '../../model/evidence/observation.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { compareTimes, isAtLeast } from './times.ts';
import { ofContainer } from './of-container.ts';

/** How a container ended, as the API reported it, else the runtime. */
export interface ContainerEnd {
  readonly containerId: string;
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
  readonly startedAt: number | undefined;
  /** Milliseconds since the epoch; API times are cut to whole seconds. */
  readonly at: number | undefined;
  readonly ref: EvidenceRef;
}

/** The containers that had one name in one pod. */
export interface NamedContainers {
  /** Ids, oldest first; empty when there was none. */
  readonly ids: readonly string[];
  /** Their first end. */
  readonly end: ContainerEnd | undefined;
}

/**
 * The reason that the kubelet reports for a container that it does not find any more, as after every eviction. The
 * report also has exit code 137, no times, often no id, and one restart more. The kubelet makes all of it up
 * (convertToAPIContainerStatuses of pkg/kubelet/kubelet_pods.go, TerminatePod of pkg/kubelet/status/status_manager.go,
 * since 1.22).
 */
const NOT_FOUND = 'ContainerStatusUnknown';
/** The same where it has removed all containers of a pod, to restart them (the same function, since 1.35). */
const RESTARTING = 'RestartingAllContainers';

/** Whether a reason is of an end that the kubelet made up. */
export const isMadeUpReason = (reason: string | undefined): boolean =>
  reason === NOT_FOUND || reason === RESTARTING;

/** Whether the kubelet made up this state, and the restart that it counts. */
export function isMadeUp(view: ContainerView): boolean {
  return view.reason === NOT_FOUND || (view.state === 'waiting' && view.last?.reason === NOT_FOUND);
}

/** Where the containers of one name are looked for. */
interface ContainerSearch {
  readonly index: EvidenceIndex;
  readonly uids: readonly string[];
  /** An end before this time was over when the cell began, whatever the API still says of it. */
  readonly since: number;
}

interface Seen {
  readonly pod: PodSeen;
  readonly view: ContainerView;
}

/**
 * Finds the containers of one name and their first end. The API says both. What it never heard of, or the kubelet made
 * up, comes from the runtime's own records.
 *
 * @param own all versions of one pod, oldest first.
 */
export function findContainers(
  own: readonly PodSeen[],
  name: string,
  { index, uids, since }: ContainerSearch,
): NamedContainers {
  const seen = own.flatMap((pod) =>
    pod.containers.filter((view) => view.name === name).map((view) => ({ pod, view })),
  );
  const known = seen
    .flatMap(({ view }) => [isOver(view, since) ? '' : (view.last?.id ?? ''), view.id])
    .filter((id) => id !== '');
  const made = index
    .of('runtime-created')
    .filter((created) => created.container === name && uids.includes(created.podUid))
    .filter((created) => isAtLeast(created.at, since, { unknown: 'counts' }));
  const ids = orderIds(
    known,
    made.map((created) => created.containerId),
  );
  const ends = findTold(seen, made[0]?.containerId ?? '')
    .filter((containerEnd) => containerEnd.at === undefined || containerEnd.at >= since)
    .map((containerEnd) =>
      isMadeUpReason(containerEnd.reason) ? replaceMadeUp(containerEnd, index) : containerEnd,
    )
    .sort((a, b) => compareTimes(a.at, b.at, { unknown: 'last' }));
  const end = findMissed(seen, ids, since) ?? firstEnd(ids, ends, seen, index);
  return { ids, end: end && { ...end, startedAt: end.startedAt ?? startOf(end, seen, index) } };
}

/**
 * Finds the end of one container by its id: as the API reported it, else the runtime or the kubelet. Of ends without an id the
 * newest one is meant: the object of a pod may have that of its container before as well.
 */
export function findEndOf(
  own: readonly PodSeen[],
  name: string,
  containerId: string,
  index: EvidenceIndex,
): ContainerEnd | undefined {
  const seen = own.flatMap((pod) =>
    pod.containers.filter((view) => view.name === name).map((view) => ({ pod, view })),
  );
  const told = findTold(seen, containerId)
    .map((end) => (isMadeUpReason(end.reason) ? replaceMadeUp(end, index) : end))
    .filter((end) => end.containerId === containerId);
  const end = told.at(containerId === '' ? -1 : 0) ?? exitOf(containerId, index);
  return end && { ...end, startedAt: end.startedAt ?? startOf(end, seen, index) };
}

/** All ids, oldest first. The API may never have heard of the first ones that the runtime made. */
function orderIds(known: readonly string[], made: readonly string[]): string[] {
  const [first] = known;
  if (first === undefined) return [...new Set(made)];
  const before = made.slice(0, Math.max(0, made.indexOf(first)));
  return [...new Set([...before, ...known])];
}

/**
 * The end of the first container. The status of a pod may skip one: the kubelet sends the newest state, and not each
 * (pkg/kubelet/status/status_manager.go). A container that has a successor has ended, whoever says so.
 */
function firstEnd(
  ids: readonly string[],
  ends: readonly ContainerEnd[],
  seen: readonly Seen[],
  index: EvidenceIndex,
): ContainerEnd | undefined {
  const [first, successor] = ids;
  const [told] = ends;
  if (first === undefined) return told;
  const own = ends.find((end) => end.containerId === first);
  // An end without an id is of a container that the kubelet has forgotten.
  if (own !== undefined || (told !== undefined && told.containerId === '')) return own ?? told;
  const exit = exitOf(first, index);
  if (exit !== undefined || successor === undefined) return exit ?? told;
  // The status may skip the successor too, and tell only of its end.
  const version = seen.find(({ view }) => [view.id, view.last?.id].includes(successor))?.pod;
  if (version === undefined) return told;
  const unknown = { exitCode: undefined, reason: undefined, startedAt: undefined };
  return { containerId: first, ...unknown, at: version.at, ref: version.ref };
}

/**
 * The end of a first container that no record names: the API first has a later attempt of it, and the runtime was not heard.
 * What is known is of other containers.
 */
function findMissed(seen: readonly Seen[], ids: readonly string[], since: number): ContainerEnd | undefined {
  const first = seen.find(({ view }) => view.id !== '');
  if (first === undefined || first.view.restartCount === 0 || first.view.id !== ids[0]) return undefined;
  const { pod, view } = first;
  const isNamed = view.last !== undefined && !['', view.id].includes(view.last.id);
  const isOfCell = isAtLeast(pod.createdAt, since, { unknown: 'does not' });
  if (isNamed || isMadeUp(view) || !isOfCell) return undefined;
  const unknown = { exitCode: undefined, reason: undefined, startedAt: undefined };
  return { containerId: '', ...unknown, at: pod.at, ref: pod.ref };
}

function isOver(view: ContainerView, since: number): boolean {
  const at = view.last?.finishedAt;
  return at !== undefined && at < since;
}

/** @param first the id of the first container as the runtime knows it: the API may never have heard of it. */
function findTold(seen: readonly Seen[], first: string): ContainerEnd[] {
  const ends: ContainerEnd[] = [];
  let newest = first;
  for (const { pod, view } of seen) {
    for (const ended of [view.last, view.state === 'terminated' ? view : undefined]) {
      if (ended === undefined) continue;
      const { id, exitCode, reason, startedAt, finishedAt } = ended;
      // The kubelet leaves out the id of a container that it does not find: it means the one before.
      const containerId = id === '' && isMadeUpReason(reason) ? newest : id;
      ends.push({ containerId, exitCode, reason, startedAt, at: finishedAt ?? pod.at, ref: pod.ref });
    }
    if (view.id !== '') newest = view.id;
  }
  return ends;
}

/** Replaces what the kubelet made up by the runtime's record; without one, nobody knows the exit code. */
function replaceMadeUp(end: ContainerEnd, index: EvidenceIndex): ContainerEnd {
  const exit = exitOf(end.containerId, index);
  return exit === undefined ? { ...end, exitCode: undefined } : { ...exit, reason: end.reason };
}

/**
 * The runtime may have logged the end of a container that was gone before the API reported it, and so may the kubelet. What
 * the runtime kept of it until the cell was over has the same.
 */
function exitOf(id: string | undefined, index: EvidenceIndex): ContainerEnd | undefined {
  if (id === undefined || id === '') return undefined;
  const isOwn = (record: { containerId: string | undefined }): boolean => record.containerId === id;
  const exit = index.of('runtime-exit').find((event) => event.execId === undefined && isOwn(event));
  const heard = index.of('kubelet-said').find((line) => line.about === 'container-finished' && isOwn(line));
  const kept = index
    .of('runtime-record')
    .find((status) => status.state === 'CONTAINER_EXITED' && isOwn(status));
  const record = exit ?? heard ?? kept;
  if (record === undefined) return undefined;
  const gone = index.of('runtime-gone').find((event) => event.execId === undefined && isOwn(event));
  return {
    containerId: id,
    exitCode: exit?.exitStatus ?? heard?.exitCode ?? kept?.exitCode,
    reason: undefined,
    startedAt: undefined,
    at: exit?.at ?? gone?.at ?? heard?.at ?? kept?.at,
    ref: record.ref,
  };
}

/** When a container started, if its end does not say so: as the API had it, else as the runtime logged it. */
function startOf(
  { containerId }: ContainerEnd,
  seen: readonly Seen[],
  index: EvidenceIndex,
): number | undefined {
  const running = seen.find(({ view }) => view.state === 'running' && view.id === containerId)?.view;
  if (running?.startedAt !== undefined) return running.startedAt;
  return ofContainer(index.of('runtime-start'), containerId)[0]?.at;
}
