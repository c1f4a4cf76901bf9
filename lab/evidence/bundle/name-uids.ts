import { containerIdIn, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import { objectAt, stringOf } from '../lines.ts';
import type { ObjectEntry } from '../formats/entry.ts';
import type { CollectedFile, Kept } from './collect.ts';
import { QUARTER_MS } from './clock.ts';
import { containerIdsOf, endsOf } from './containers.ts';

/** Where records say which pod has which uid: by its name, and by the ids of its containers. */
interface KnownUids {
  readonly byName: Map<string, Set<string>>;
  readonly byContainer: Map<string, string>;
  /** When the kernel killed a process of which pod, by whatever clock its line has. */
  readonly kills: { readonly uid: string; readonly local: number | undefined; readonly wallMs: number | undefined }[];
}

const SANDBOX = /PodSandboxMetadata\{Name:([\w.-]+),Uid:([\w-]+),Namespace:([\w.-]+),/;
const KUBELET_UID = /podU?ID="?([0-9a-f-]{36}|[0-9a-f]{32})\b/;
const KUBELET_POD = /\bpods?=(?:"|\["|\[)([\w.-]+)\/([\w.-]+)(?:"\]|"|\])/;
const MEMCG = /(?:task_memcg=|Task in )(\/[^,\s]*)/;

/**
 * Gives pods and events that a text for people tells of the uids that other records have for them: `describe` and tables have
 * none. A pod whose uid nobody says gets its name for one, so that it can be asked about.
 */
export function nameUids(files: readonly CollectedFile[]): CollectedFile[] {
  const isWithout = files.some(({ kept }) => kept.some(({ entry }) => entry.kind === 'object' && lacksUid(entry)));
  if (!isWithout) return [...files];
  const known = gather(files);
  const nameAll = (what: ObjectEntry['what'], all: readonly CollectedFile[]): CollectedFile[] =>
    all.map((file) => ({
      ...file,
      kept: file.kept.map((one): Kept => {
        const { entry } = one;
        return entry.kind === 'object' && entry.what === what ? { ...one, entry: named(entry, known) } : one;
      }),
    }));
  return nameAll('event', nameAll('pod', files));
}

function lacksUid({ what, object }: ObjectEntry): boolean {
  if (what === 'pod') return objectAt(object, 'metadata')['uid'] === undefined;
  const about = objectAt(object, 'involvedObject');
  return what === 'event' && about['kind'] === 'Pod' && about['uid'] === undefined;
}

function gather(files: readonly CollectedFile[]): KnownUids {
  const known: KnownUids = { byName: new Map(), byContainer: new Map(), kills: [] };
  const name = (namespace: string, pod: string, uid: string): void => {
    const key = `${namespace}/${pod}`;
    known.byName.set(key, (known.byName.get(key) ?? new Set()).add(uid));
  };
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
      } else if (entry.kind === 'kernel') {
        const path = MEMCG.exec(entry.text)?.[1];
        const { podUid } = path === undefined ? {} : parseCgroupPath(path);
        const id = path === undefined ? '' : containerIdIn(path);
        if (podUid === undefined) continue;
        if (id !== '') known.byContainer.set(id, podUid);
        const { local, wallMs } = entry.stamp;
        if (local !== undefined || wallMs !== undefined)
          known.kills.push({ uid: podUid, local: local?.ms, wallMs });
      }
    }
  return known;
}

function named(entry: ObjectEntry, known: KnownUids): ObjectEntry {
  if (!lacksUid(entry)) return entry;
  const { object } = entry;
  const field = entry.what === 'pod' ? 'metadata' : 'involvedObject';
  const about = objectAt(object, field);
  const key = keyOf(about);
  const byContainer = containerIdsOf(object).flatMap((id) => known.byContainer.get(id) ?? []);
  const byName = [...(known.byName.get(key) ?? [])];
  // Of two pods of one name nobody knows which one is meant.
  const uid =
    byContainer[0] ?? (byName.length === 1 ? byName[0] : undefined) ?? findKilled(object, known.kills) ?? key;
  if (entry.what === 'pod') known.byName.set(key, (known.byName.get(key) ?? new Set()).add(uid));
  return { ...entry, object: { ...object, [field]: { ...about, uid } } };
}

function keyOf(about: Record<string, unknown>): string {
  return `${stringOf(about['namespace']) ?? 'default'}/${stringOf(about['name']) ?? ''}`;
}

/** A kill is noticed so much later; the API cuts it to seconds. */
const NOTICED_MS = 10_000;
const CUT_MS = 2_000;

/**
 * The pod of which the kernel says that it killed a process when a container of this one ended, called OOMKilled: the only one in the
 * log at such a time, in whatever zone the log is.
 */
function findKilled(object: Record<string, unknown>, kills: KnownUids['kills']): string | undefined {
  const ends = endsOf(object).filter(({ reason }) => reason === 'OOMKilled');
  const fitting = kills.filter(({ local, wallMs }) =>
    ends.some(({ at }) => {
      const lateMs = wallMs === undefined ? inQuarter(at - (local ?? 0)) : at - wallMs;
      return lateMs >= -CUT_MS && lateMs <= NOTICED_MS;
    }),
  );
  const uids = new Set(fitting.map(({ uid }) => uid));
  return uids.size === 1 ? [...uids][0] : undefined;
}

/** How much later than a whole number of quarters of an hour: zones are such. */
function inQuarter(ms: number): number {
  const rest = ms - Math.floor(ms / QUARTER_MS) * QUARTER_MS;
  return rest > QUARTER_MS / 2 ? rest - QUARTER_MS : rest;
}
