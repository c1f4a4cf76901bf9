import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { ContainerView, PodSeen } from '../../model/evidence/observation.ts';
import type { EvidenceIndex } from './evidence-index.ts';
import { compareTimes } from './times.ts';

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
  const made = index
    .of('runtime-created')
    .filter((created) => created.container === name && uids.includes(created.podUid));
  const known = seen
    .flatMap(({ view }) => [isOver(view, since) ? '' : (view.last?.id ?? ''), view.id])
    .filter((id) => id !== '');
  const ids = [...new Set(known.length > 0 ? known : made.map((created) => created.containerId))];
  const ends = findTold(seen, made[0]?.containerId ?? '')
    .filter((containerEnd) => containerEnd.at === undefined || containerEnd.at >= since)
    .map((containerEnd) =>
      containerEnd.reason === NOT_FOUND ? replaceMadeUp(containerEnd, index) : containerEnd,
    )
    .sort((a, b) => compareTimes(a.at, b.at, { unknown: 'last' }));
  const end = ends[0] ?? exitOf(ids[0], index);
  return { ids, end: end && { ...end, startedAt: end.startedAt ?? startOf(end, seen, index) } };
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
      const containerId = id === '' && reason === NOT_FOUND ? newest : id;
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

/** The runtime may have logged the end of a pod that was deleted before the API reported it. */
function exitOf(id: string | undefined, index: EvidenceIndex): ContainerEnd | undefined {
  const exit = index
    .of('runtime-exit')
    .find((event) => event.execId === undefined && event.containerId === id);
  if (exit === undefined) return undefined;
  const { containerId, exitStatus, at, ref } = exit;
  return { containerId, exitCode: exitStatus, reason: undefined, startedAt: undefined, at, ref };
}

/** When a container started, if its end does not say so: as the API had it, else as the runtime logged it. */
function startOf(
  { containerId }: ContainerEnd,
  seen: readonly Seen[],
  index: EvidenceIndex,
): number | undefined {
  const running = seen.find(({ view }) => view.state === 'running' && view.id === containerId)?.view;
  if (running?.startedAt !== undefined) return running.startedAt;
  return index.of('runtime-start').find((event) => event.containerId === containerId)?.at;
}
