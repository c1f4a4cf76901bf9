import { containerIdIn } from '../../model/evidence/cgroup-path.ts';
import { sum } from '../../model/text/sum.ts';
import { numberOf, objectAt, objectsIn, stringOf, timeOf } from '../lines.ts';
import type { Entry } from '../formats/entry.ts';
import type { CollectedFile, Kept } from './collected.ts';

/** A moment in the life of a container, as one file tells of it. */
export interface LifeMoment {
  readonly id: string;
  readonly what: 'started' | 'ended';
  readonly one: Kept;
  /** By how much earlier or later than the moment itself such a line is written, in milliseconds. */
  readonly earlyMs: number;
  readonly lateMs: number;
}

const ID = /[0-9a-f]{64}/;
/** The kubelet looks at its containers once a second, and is late where a node is busy. */
const KUBELET = { earlyMs: 2000, lateMs: 90_000 };
/** The kernel kills, and a moment later the runtime notices the end. */
const KERNEL = { earlyMs: 10_000, lateMs: 2000 };
const RUNTIME = { earlyMs: 2000, lateMs: 10_000 };

/** The moments that a line tells of. */
export function momentOf(one: Kept): LifeMoment | undefined {
  const { entry, role } = one;
  if (entry.kind === 'kernel') {
    const cgroup = /,task_memcg=([^,]*),/.exec(entry.text)?.[1];
    const id = cgroup === undefined ? '' : containerIdIn(cgroup);
    return id === '' ? undefined : { id, what: 'ended', one, ...KERNEL };
  }
  if (entry.kind !== 'program') return undefined;
  const { message } = entry;
  if (role !== 'kubelet' && role !== 'containerd') return undefined;
  const what = role === 'kubelet' ? momentByKubelet(message) : momentByRuntime(message);
  // The words before the id: most lines have none of them, and to look for an id takes long.
  if (what === undefined) return undefined;
  const id = ID.exec(message)?.[0];
  if (id === undefined) return undefined;
  if (role !== 'kubelet') return { id, what, one, ...RUNTIME };
  return { id: what === 'started' ? id : lastId(message), what, one, ...KUBELET };
}

function momentByKubelet(message: string): LifeMoment['what'] | undefined {
  if (message.includes('"Type":"ContainerStarted"')) return 'started';
  return /"Type":"ContainerDied"|container finished/.test(message) ? 'ended' : undefined;
}

function momentByRuntime(message: string): LifeMoment['what'] | undefined {
  if (/StartContainer .*returns successfully|Started container/.test(message)) return 'started';
  return /^(?:.*msg=)?"?(?:TaskExit|received (?:container )?exit event|TaskOOM|shim (?:disconnected|reaped))/.test(
    message,
  )
    ? 'ended'
    : undefined;
}

/** The kubelet's event has the id of the container last. */
function lastId(message: string): string {
  return [...message.matchAll(new RegExp(ID, 'g'))].at(-1)?.[0] ?? '';
}

/** The starts and ends that objects of the API and of the runtime tell. */
export function livesOf(files: readonly CollectedFile[]): Map<string, number> {
  const lives = new Map<string, number>();
  for (const { kept } of files)
    for (const { entry } of kept)
      for (const [id, startedAt, finishedAt] of livesIn(entry)) {
        if (startedAt !== undefined) lives.set(`${id} started`, startedAt);
        if (finishedAt !== undefined) lives.set(`${id} ended`, finishedAt);
      }
  return lives;
}

/** Containers in an entry, each with its start and its end. */
function livesIn(entry: Entry): (readonly [string, number | undefined, number | undefined])[] {
  if (entry.kind === 'runtime') return [[entry.containerId, entry.startedAt, entry.finishedAt]];
  if (entry.kind !== 'object' || entry.what !== 'pod') return [];
  return statusesOf(entry.object).flatMap((status) =>
    ['state', 'lastState'].map((name) => {
      const ended = objectAt(status, name, 'terminated');
      const running = objectAt(status, name, 'running');
      const id = withoutScheme(ended['containerID'] ?? status['containerID']);
      return [id, timeOf(ended['startedAt'] ?? running['startedAt']), timeOf(ended['finishedAt'])] as const;
    }),
  );
}

/** When containers of a pod ended, and what their ends are called. */
export function endsOf(
  object: Record<string, unknown>,
): { readonly at: number; readonly reason: string | undefined }[] {
  return statusesOf(object).flatMap((status) =>
    ['state', 'lastState'].flatMap((name) => {
      const ended = objectAt(status, name, 'terminated');
      const at = timeOf(ended['finishedAt']);
      return at === undefined ? [] : [{ at, reason: stringOf(ended['reason']) }];
    }),
  );
}

/** How often containers of a pod were started. */
export function startsOf(object: Record<string, unknown>): number {
  return sum(statusesOf(object).map(({ restartCount }) => 1 + (numberOf(restartCount) ?? 0)));
}

/** The names of the containers of a pod. */
export function containerNamesOf(object: Record<string, unknown>): string[] {
  return statusesOf(object).flatMap(({ name }) => stringOf(name) || []);
}

/** The ids of the containers of a pod. */
export function containerIdsOf(object: Record<string, unknown>): string[] {
  return statusesOf(object)
    .flatMap((status) => [
      status['containerID'],
      objectAt(status, 'state', 'terminated')['containerID'],
      objectAt(status, 'lastState', 'terminated')['containerID'],
    ])
    .map(withoutScheme)
    .filter((id) => id !== '');
}

function statusesOf(object: Record<string, unknown>): Record<string, unknown>[] {
  const status = objectAt(object, 'status');
  return ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'].flatMap((name) =>
    objectsIn(status[name]),
  );
}

function withoutScheme(id: unknown): string {
  return (stringOf(id) ?? '').replace(/^[a-z][\w.+-]*:\/\//, '');
}
