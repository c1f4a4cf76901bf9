import { containerIdIn, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import { UNNAMED_POD } from '../../model/evidence/unnamed-pod.ts';
import { objectAt, objectsIn, stringOf, timeOf } from '../lines.ts';
import type { LocalTime, ObjectEntry } from '../formats/entry.ts';
import type { CollectedFile, Kept } from './collected.ts';
import { JOINED_BY_TIME } from '../pods.ts';
import { inYear } from './clock.ts';
import { containerIdsOf, containerNamesOf, endsOf, startsOf } from './containers.ts';
import { rowsOf, tellEnds } from './told-by-rows.ts';
import { offsetOf, OFFSETS_MS, type ClockOptions } from './zones.ts';

/** Where records say which pod has which uid: by its name, and by the ids of its containers. */
interface KnownUids {
  readonly byName: Map<string, Set<string>>;
  readonly byContainer: Map<string, string>;
  /** When the kernel killed a process of which pod, by whatever clock its line has. */
  readonly kills: Kill[];
  /** The only pod that has a name: a part of a pod without one is of it, unless the names of containers say otherwise. */
  only: PodName | undefined;
  /** Names of containers, of whatever pod, that logs of a node have. */
  readonly containers: Set<string>;
  /** The zone of times that have none, where a person said it. */
  readonly timezone: string | undefined;
}

interface PodName {
  readonly namespace: string | undefined;
  readonly name: string;
}

interface Kill {
  readonly uid: string;
  readonly containerId: string;
  /** The class of its pod, by its cgroup. */
  readonly qosClass: string;
  /** By a clock without a zone, and often without a year. */
  readonly local: LocalTime | undefined;
  readonly wallMs: number | undefined;
}

const SANDBOX = /PodSandboxMetadata\{Name:([\w.-]+),Uid:([\w-]+),Namespace:([\w.-]+),/;
const KUBELET_UID = /podU?ID="?([0-9a-f-]{36}|[0-9a-f]{32})\b/;
const KUBELET_POD = /\bpods?=(?:"|\["|\[)([\w.-]+)\/([\w.-]+)(?:"\]|"|\])/;
/** Of the kubelet, and of containerd and CRI-O where they make it. */
const CONTAINER = /\bcontainerName="([\w.-]+)"|ContainerMetadata\{Name:([\w.-]+),/g;
/** Since 1.21 the kubelet says of a pod that it has evicted only its name. */
const EVICTED = /[Ee]viction manager: pod is evicted/;
const MEMCG = /(?:task_memcg=|Task in )(\/[^,\s]*)/;

/**
 * Gives pods and events that a text for people tells of the uids that other records have for them: `describe` and tables have
 * none. A pod whose uid nobody says gets its name for one, so that it can be asked about.
 */
export function nameUids(files: readonly CollectedFile[], { timezone }: ClockOptions = {}): CollectedFile[] {
  const isWithout = files.some(({ kept }) =>
    kept.some(({ entry }) => entry.kind === 'object' && lacksUid(entry)),
  );
  if (!isWithout) return [...files];
  const known = gather(files, timezone);
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

function gather(files: readonly CollectedFile[], timezone: string | undefined): KnownUids {
  const known: KnownUids = {
    byName: new Map(),
    byContainer: new Map(),
    kills: [],
    only: undefined,
    containers: new Set(),
    timezone,
  };
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
        known.containers.add(entry.container);
      } else if (entry.kind === 'program') {
        const [, pod, uid, namespace] = SANDBOX.exec(entry.message) ?? [];
        if (pod !== undefined && uid !== undefined && namespace !== undefined) name(namespace, pod, uid);
        for (const [, byKubelet, byRuntime = ''] of entry.message.matchAll(CONTAINER))
          known.containers.add(byKubelet ?? byRuntime);
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
        if (path !== undefined && (local !== undefined || wallMs !== undefined))
          known.kills.push({ uid: podUid, containerId: id, qosClass: classOf(path), local, wallMs });
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
  const isOfOnly = stringOf(told['name']) === undefined && mayBeOfOnly(object, known);
  const about = isOfOnly ? { ...told, ...known.only } : told;
  const key = about['name'] === undefined ? UNNAMED_POD : keyOf(about);
  const byContainer = containerIdsOf(object).flatMap((id) => known.byContainer.get(id) ?? []);
  const byName = uidsOf(about, known);
  // Of two pods of one name nobody knows which one is meant.
  const recorded = byContainer[0] ?? (byName.length === 1 ? byName[0] : undefined);
  const kills = recorded === undefined ? findKills(object, key, known) : [];
  const uid = recorded ?? kills[0]?.uid ?? key;
  const joined = kills.length === 0 ? {} : { [JOINED_BY_TIME]: true };
  const whole = { ...object, [field]: { ...about, uid, ...joined } };
  if (entry.what !== 'pod') return { ...entry, object: whole };
  known.byName.set(key, (known.byName.get(key) ?? new Set()).add(uid));
  const own = recorded === undefined ? kills : known.kills.filter((kill) => kill.uid === recorded);
  return { ...entry, object: nameEnds(whole, own, known.timezone) };
}

/**
 * Whether a part of a pod may be of the only one that has a name: its containers have no names, or a log of the node names them, or they
 * are called like the pod.
 */
function mayBeOfOnly(object: Record<string, unknown>, { only, containers }: KnownUids): boolean {
  const names = containerNamesOf(object);
  return (
    only === undefined ||
    names.length === 0 ||
    names.some((name) => containers.has(name) || only.name.includes(name))
  );
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

/** The class of a pod, by the path of a cgroup in it: in that of all pods itself are those that are guaranteed what they get. */
function classOf(path: string): string {
  if (/burstable/.test(path)) return 'Burstable';
  return /besteffort/.test(path) ? 'BestEffort' : 'Guaranteed';
}

/**
 * All kills of the pod that an object without a uid is of, where the time of one of them tells: it was when a container ended that is
 * called OOMKilled. None where another pod was killed at such a time as well, in whatever zone the log may be, or where what the object
 * says contradicts it: another pod has that uid, the pod is of another class, or its containers were started too seldom for so many.
 */
function findKills(object: Record<string, unknown>, key: string, known: KnownUids): Kill[] {
  const near = killsAt(endsOf(object), known.kills, known.timezone);
  const uid = onlyOf(near.map((kill) => kill.uid));
  if (uid === undefined) return [];
  const own = known.kills.filter((kill) => kill.uid === uid);
  const isNamed = [...known.byName].some(([name, uids]) => name !== key && uids.has(uid));
  const qosClass = stringOf(objectAt(object, 'status')['qosClass']);
  const isOfClass = qosClass === undefined || own.every((kill) => kill.qosClass === qosClass);
  const killed = new Set(own.map(({ containerId }) => containerId)).size;
  return !isNamed && isOfClass && killed <= startsOf(object) ? own : [];
}

/** A kill is noticed so much later; the API cuts it to seconds. */
const NOTICED_MS = 10_000;
const CUT_MS = 2_000;

/**
 * The kills by the kernel that were at ends which are called OOMKilled. A text for people has neither the uid nor the id of the
 * container that ended. A log without a zone may be in any that is in use.
 */
function killsAt(
  ends: ReturnType<typeof endsOf>,
  kills: readonly Kill[],
  timezone: string | undefined,
): Kill[] {
  const named = ends.filter(({ reason }) => reason === 'OOMKilled');
  return kills.filter(({ local, wallMs }) =>
    named.some(({ at }) =>
      (wallMs === undefined ? wallsOf(local, at, timezone) : [wallMs]).some(
        (killedAt) => at - killedAt >= -CUT_MS && at - killedAt <= NOTICED_MS,
      ),
    ),
  );
}

/** What times of the world a local time may be; without a year in those about another time. */
function wallsOf(local: LocalTime | undefined, about: number, timezone: string | undefined): number[] {
  if (local === undefined) return [];
  const year = new Date(about).getUTCFullYear();
  const times = [...new Set([year - 1, year, year + 1].map((of) => inYear(local, of)))];
  return times.flatMap((ms) =>
    (timezone === undefined ? OFFSETS_MS : [offsetOf(timezone, ms)]).map((offsetMs) => ms - offsetMs),
  );
}

function onlyOf(names: readonly string[]): string | undefined {
  const all = new Set(names);
  return all.size === 1 ? [...all][0] : undefined;
}

/** Gives ends of containers the id of the one container of this pod that was killed then. */
function nameEnds(
  object: Record<string, unknown>,
  kills: readonly Kill[],
  timezone: string | undefined,
): Record<string, unknown> {
  if (kills.length === 0) return object;
  const status = objectAt(object, 'status');
  const nameOne = (one: Record<string, unknown>): Record<string, unknown> => {
    const ended = objectAt(one, 'lastState', 'terminated');
    const at = timeOf(ended['finishedAt']);
    const reason = stringOf(ended['reason']);
    if (at === undefined || ended['containerID'] !== undefined) return one;
    const id = onlyOf(killsAt([{ at, reason }], kills, timezone).map((kill) => kill.containerId));
    if (id === undefined) return one;
    return { ...one, lastState: { terminated: { ...ended, containerID: `containerd://${id}` } } };
  };
  const named = ['initContainerStatuses', 'containerStatuses'].map((list) => [
    list,
    objectsIn(status[list]).map(nameOne),
  ]);
  return { ...object, status: { ...status, ...(Object.fromEntries(named) as Record<string, unknown>) } };
}
