import { containerIdIn, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import { UNNAMED_POD } from '../../model/evidence/unnamed-pod.ts';
import { objectAt, objectsIn, stringOf, timeOf } from '../lines.ts';
import type { LocalTime, ObjectEntry } from '../formats/entry.ts';
import type { CollectedFile, Kept } from './collected.ts';
import { inYear, MOST_SHIFT_MS, QUARTER_MS } from './clock.ts';
import { containerIdsOf, endsOf } from './containers.ts';
import { rowsOf, tellEnds } from './told-by-rows.ts';

/** Where records say which pod has which uid: by its name, and by the ids of its containers. */
interface KnownUids {
  readonly byName: Map<string, Set<string>>;
  readonly byContainer: Map<string, string>;
  /** When the kernel killed a process of which pod, by whatever clock its line has. */
  readonly kills: Kill[];
  /** The only pod that has a name: a part of a pod without one is of it. */
  only: PodName | undefined;
}

interface PodName {
  readonly namespace: string | undefined;
  readonly name: string;
}

interface Kill {
  readonly uid: string;
  readonly containerId: string;
  /** By a clock without a zone, and often without a year. */
  readonly local: LocalTime | undefined;
  readonly wallMs: number | undefined;
}

const SANDBOX = /PodSandboxMetadata\{Name:([\w.-]+),Uid:([\w-]+),Namespace:([\w.-]+),/;
const KUBELET_UID = /podU?ID="?([0-9a-f-]{36}|[0-9a-f]{32})\b/;
const KUBELET_POD = /\bpods?=(?:"|\["|\[)([\w.-]+)\/([\w.-]+)(?:"\]|"|\])/;
/** Since 1.21 the kubelet says of a pod that it has evicted only its name. */
const EVICTED = /[Ee]viction manager: pod is evicted/;
const MEMCG = /(?:task_memcg=|Task in )(\/[^,\s]*)/;

/**
 * Gives pods and events that a text for people tells of the uids that other records have for them: `describe` and tables have
 * none. A pod whose uid nobody says gets its name for one, so that it can be asked about.
 */
export function nameUids(files: readonly CollectedFile[]): CollectedFile[] {
  const isWithout = files.some(({ kept }) =>
    kept.some(({ entry }) => entry.kind === 'object' && lacksUid(entry)),
  );
  if (!isWithout) return [...files];
  const known = gather(files);
  known.only = onlyNameOf(files, known);
  const nameAll = (what: ObjectEntry['what'], all: readonly CollectedFile[]): CollectedFile[] =>
    all.map((file) => ({
      ...file,
      kept: file.kept.map((one): Kept => {
        const { entry } = one;
        return entry.kind === 'object' && entry.what === what ? { ...one, entry: named(entry, known) } : one;
      }),
    }));
  return tellEnds(nameAll('event', nameAll('pod', files)));
}

function lacksUid({ what, object }: ObjectEntry): boolean {
  if (what === 'pod') return objectAt(object, 'metadata')['uid'] === undefined;
  const about = objectAt(object, 'involvedObject');
  return what === 'event' && about['kind'] === 'Pod' && about['uid'] === undefined;
}

function gather(files: readonly CollectedFile[]): KnownUids {
  const known: KnownUids = { byName: new Map(), byContainer: new Map(), kills: [], only: undefined };
  const name = (namespace: string, pod: string, uid: string): void => {
    const key = `${namespace}/${pod}`;
    known.byName.set(key, (known.byName.get(key) ?? new Set()).add(uid));
  };
  const evicted: (readonly [namespace: string, pod: string])[] = [];
  for (const { kept } of files)
    for (const { entry } of kept) {
      if (entry.kind === 'object' && entry.what === 'pod') {
        const metadata = objectAt(entry.object, 'metadata');
        const uid = stringOf(metadata['uid']);
        if (uid === undefined) continue;
        name(stringOf(metadata['namespace']) ?? 'default', stringOf(metadata['name']) ?? '', uid);
        for (const id of containerIdsOf(entry.object)) known.byContainer.set(id, uid);
      } else if (entry.kind === 'runtime' && entry.podUid !== '') {
        name(entry.namespace, entry.pod, entry.podUid);
        known.byContainer.set(entry.containerId, entry.podUid);
      } else if (entry.kind === 'program') {
        const [, pod, uid, namespace] = SANDBOX.exec(entry.message) ?? [];
        if (pod !== undefined && uid !== undefined && namespace !== undefined) name(namespace, pod, uid);
        const told = KUBELET_UID.exec(entry.message)?.[1];
        const [, space, of] = KUBELET_POD.exec(entry.message) ?? [];
        if (told !== undefined && space !== undefined && of !== undefined) name(space, of, told);
        if (told === undefined && space !== undefined && of !== undefined && EVICTED.test(entry.message))
          evicted.push([space, of]);
      } else if (entry.kind === 'kernel') {
        const path = MEMCG.exec(entry.text)?.[1];
        const { podUid } = path === undefined ? {} : parseCgroupPath(path);
        const id = path === undefined ? '' : containerIdIn(path);
        if (podUid === undefined) continue;
        if (id !== '') known.byContainer.set(id, podUid);
        const { local, wallMs } = entry.stamp;
        if (local !== undefined || wallMs !== undefined)
          known.kills.push({ uid: podUid, containerId: id, local, wallMs });
      }
    }
  // A pod whose uid nobody says has its name for one.
  for (const [namespace, pod] of evicted)
    if (!known.byName.has(`${namespace}/${pod}`)) name(namespace, pod, `${namespace}/${pod}`);
  return known;
}

/** The pod that everything is about, where all records that have a name of a pod have the same one. */
function onlyNameOf(files: readonly CollectedFile[], { byName }: KnownUids): PodName | undefined {
  const names = new Map<string, PodName>();
  const add = (namespace: string | undefined, name: string | undefined): void => {
    if (name === undefined || name === '') return;
    const before = names.get(name);
    names.set(name, { name, namespace: namespace ?? before?.namespace });
  };
  for (const key of byName.keys()) add(...(key.split('/') as [string, string]));
  for (const { kept } of files)
    for (const { entry } of kept) {
      if (entry.kind !== 'object' || (entry.what !== 'pod' && entry.what !== 'event')) continue;
      const about = objectAt(entry.object, fieldOf(entry));
      if (entry.what === 'pod' || about['kind'] === 'Pod')
        add(stringOf(about['namespace']), stringOf(about['name']));
    }
  // A table of pods has those, too, that nothing else is about.
  if (names.size === 0) for (const { namespace, name } of rowsOf(files)) add(namespace, name);
  const [only, ...others] = names.values();
  return others.length === 0 ? only : undefined;
}

function fieldOf({ what }: ObjectEntry): 'metadata' | 'involvedObject' {
  return what === 'pod' ? 'metadata' : 'involvedObject';
}

function named(entry: ObjectEntry, known: KnownUids): ObjectEntry {
  if (!lacksUid(entry)) return entry;
  const { object } = entry;
  const field = fieldOf(entry);
  const told = objectAt(object, field);
  const about = stringOf(told['name']) === undefined ? { ...told, ...known.only } : told;
  const key = about['name'] === undefined ? UNNAMED_POD : keyOf(about);
  const byContainer = containerIdsOf(object).flatMap((id) => known.byContainer.get(id) ?? []);
  const byName = uidsOf(about, known);
  // Of two pods of one name nobody knows which one is meant.
  const uid =
    byContainer[0] ??
    (byName.length === 1 ? byName[0] : undefined) ??
    onlyOf(killsAt(endsOf(object), known.kills).map((kill) => kill.uid)) ??
    key;
  const whole = { ...object, [field]: { ...about, uid } };
  if (entry.what !== 'pod') return { ...entry, object: whole };
  known.byName.set(key, (known.byName.get(key) ?? new Set()).add(uid));
  return {
    ...entry,
    object: nameEnds(
      whole,
      known.kills.filter((kill) => kill.uid === uid),
    ),
  };
}

/** The uids of the pods that have a name. A table without namespaces is of one of them, and does not say which. */
function uidsOf(about: Record<string, unknown>, { byName }: KnownUids): string[] {
  const name = stringOf(about['name']);
  if (stringOf(about['namespace']) !== undefined || name === undefined)
    return [...(byName.get(keyOf(about)) ?? [])];
  return [...byName].flatMap(([key, uids]) => (key.endsWith(`/${name}`) ? [...uids] : []));
}

function keyOf(about: Record<string, unknown>): string {
  return `${stringOf(about['namespace']) ?? 'default'}/${stringOf(about['name']) ?? ''}`;
}

/** A kill is noticed so much later; the API cuts it to seconds. */
const NOTICED_MS = 10_000;
const CUT_MS = 2_000;

/**
 * The kills by the kernel that were at ends which are called OOMKilled, in whatever zone the log is. A text for people has neither
 * the uid nor the id of the container that ended.
 */
function killsAt(ends: ReturnType<typeof endsOf>, kills: readonly Kill[]): Kill[] {
  const named = ends.filter(({ reason }) => reason === 'OOMKilled');
  return kills.filter(({ local, wallMs }) =>
    named.some(({ at }) => {
      const lateMs = wallMs === undefined ? lateInAnyZone(at, local) : at - wallMs;
      return lateMs >= -CUT_MS && lateMs <= NOTICED_MS;
    }),
  );
}

function onlyOf(names: readonly string[]): string | undefined {
  const all = new Set(names);
  return all.size === 1 ? [...all][0] : undefined;
}

/** Gives ends of containers the id of the one container of this pod that was killed then. */
function nameEnds(object: Record<string, unknown>, kills: readonly Kill[]): Record<string, unknown> {
  if (kills.length === 0) return object;
  const status = objectAt(object, 'status');
  const nameOne = (one: Record<string, unknown>): Record<string, unknown> => {
    const ended = objectAt(one, 'lastState', 'terminated');
    const at = timeOf(ended['finishedAt']);
    const reason = stringOf(ended['reason']);
    if (at === undefined || ended['containerID'] !== undefined) return one;
    const id = onlyOf(killsAt([{ at, reason }], kills).map((kill) => kill.containerId));
    if (id === undefined) return one;
    return { ...one, lastState: { terminated: { ...ended, containerID: `containerd://${id}` } } };
  };
  const named = ['initContainerStatuses', 'containerStatuses'].map((list) => [
    list,
    objectsIn(status[list]).map(nameOne),
  ]);
  return { ...object, status: { ...status, ...(Object.fromEntries(named) as Record<string, unknown>) } };
}

/** How much later a time is than one whose zone nobody says, in the zone in which they are nearest; NaN where they are further apart. */
function lateInAnyZone(at: number, local: LocalTime | undefined): number {
  if (local === undefined) return Number.NaN;
  const year = new Date(at).getUTCFullYear();
  const lates = [year - 1, year, year + 1].map((of) => at - inYear(local, of));
  const late = lates.find((ms) => Math.abs(ms) <= MOST_SHIFT_MS + NOTICED_MS);
  return late === undefined ? Number.NaN : inQuarter(late);
}

/** How much later than a whole number of quarters of an hour: zones are such. */
function inQuarter(ms: number): number {
  const rest = ms - Math.floor(ms / QUARTER_MS) * QUARTER_MS;
  return rest > QUARTER_MS / 2 ? rest - QUARTER_MS : rest;
}
