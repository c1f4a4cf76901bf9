import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InternalError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { compareInputs, listDifferences, type Inputs } from '../../lab/model/components/inputs.ts';
import { entryLockPaths, findMaker, unfinishedName } from '../../lab/model/host/paths.ts';
import { entryPath, type EntryKind, type SoughtEntry } from './entry-kind.ts';
import { canPull, pullInto } from './pull-entry.ts';
import { removeFolder } from './remove-folder.ts';

/** What `make` has to work with. */
export interface Making {
  /** Where the entry, a file or a folder, has to be when `make` returns; nothing is there yet. */
  readonly out: string;
  /** A folder around `out`, removed afterwards. */
  readonly work: string;
  /** Where the entry will be. */
  readonly path: string;
  /** Why it is made, in one line. */
  readonly why: string;
}

/** An entry as it is wanted. */
export interface WantedEntry<Entry> extends SoughtEntry<Entry> {
  /** Makes what is not there. */
  readonly make: (making: Making) => Promise<void>;
}

/** Finds a whole entry and notes that it is used now. */
function findUsed<Entry>(host: Pick<Host, 'clock'>, { kind, inputs }: SoughtEntry<Entry>): Entry | undefined {
  const path = entryPath(kind, inputs);
  const entry = kind.find(path);
  if (entry === undefined) return undefined;
  const now = new Date(host.clock.now());
  utimesSync(kind.usedFile(path), now, now);
  return entry;
}

/**
 * Finds an entry in the cache, or fetches it from the remote cache. Until this process ends, nothing removes it.
 *
 * @throws InterruptedError; HostError LAB_LOCK. A remote cache that fails is a note, and no error.
 */
export function takeEntry<Entry>(host: Host, sought: SoughtEntry<Entry>): Promise<Entry | undefined> {
  return obtain(host, sought);
}

/**
 * Finds an entry in the cache, fetches it from the remote cache, or makes it. It is made in a neighbouring folder, which
 * is renamed into place when it is whole: a crash never shows half an entry. Of several labs one makes it, and the others
 * wait for it. What dead labs left half-made in that folder is removed first. Until this process ends, nothing removes
 * the entry.
 *
 * @throws whatever `make` throws; the cache is then as before.
 */
export async function ensureEntry<Entry>(host: Host, wanted: WantedEntry<Entry>): Promise<Entry> {
  const { kind, inputs, make } = wanted;
  const path = entryPath(kind, inputs);
  const entry = await obtain(host, wanted, async (work) => {
    await make({ out: join(work, 'out'), work, path, why: explainMiss(kind, inputs) });
    return true;
  });
  if (entry === undefined)
    throw new InternalError(`the ${kind.title} in ${path} is not whole after it was made`);
  return entry;
}

/** Puts an entry at `<work>/out`; resolves to false when it did not. */
type Fill = (work: string) => Promise<boolean>;

async function obtain<Entry>(
  host: Host,
  sought: SoughtEntry<Entry>,
  make?: Fill,
): Promise<Entry | undefined> {
  const { kind, inputs } = sought;
  const locks = entryLockPaths(host.cacheDir, entryPath(kind, inputs));
  await host.locks.use(locks.use);
  const found = findUsed(host, sought);
  if (found !== undefined) return found;
  const mayPull = await canPull(host, kind);
  if (make === undefined && !mayPull) return undefined;
  const release = await host.locks.make(locks.make, (holder) =>
    host.progress.note(
      `waiting for ${holder === '' ? 'another lab' : holder}, which makes the ${kind.title}`,
    ),
  );
  try {
    const madeMeanwhile = findUsed(host, sought);
    if (madeMeanwhile !== undefined) return madeMeanwhile;
    const pulled = mayPull ? await fill(host, sought, (work) => pullInto(host, sought, work)) : undefined;
    if (pulled !== undefined || make === undefined) return pulled;
    return await fill(host, sought, make);
  } finally {
    release();
  }
}

async function fill<Entry>(
  host: Host,
  { kind, inputs }: SoughtEntry<Entry>,
  put: Fill,
): Promise<Entry | undefined> {
  const path = entryPath(kind, inputs);
  mkdirSync(dirname(path), { recursive: true });
  await removeAbandoned(host, kind.folder);
  const work = join(kind.folder, unfinishedName(process.pid, randomUUID()));
  try {
    mkdirSync(work);
    if (await put(work)) await moveIntoPlace(host, kind, join(work, 'out'), path);
  } finally {
    await removeFolder(host, work);
  }
  return kind.find(path);
}

/** Says in one line why there is no entry of these inputs: what differs from the nearest one in the cache. */
export function explainMiss<Entry>(kind: EntryKind<Entry>, inputs: Inputs): string {
  const { title, folder } = kind;
  if (existsSync(entryPath(kind, inputs))) return `the ${title} in the cache is damaged`;
  const others = (existsSync(folder) ? readdirSync(folder).sort() : [])
    .filter((name) => kind.holds(name))
    .map((name) => ({ name, inputs: kind.findInputs(join(folder, name)) }));
  const [nearest] = others
    .map((other) => other.inputs)
    .filter((earlier) => earlier !== undefined)
    .map((earlier) => ({ earlier, differences: listDifferences(earlier, inputs).length }))
    .sort((a, b) => a.differences - b.differences);
  if (nearest !== undefined) return compareInputs(nearest.earlier, inputs).join('; ');
  if (others.length === 0) return 'there is none in the cache';
  return `what ${others.map(({ name }) => name).join(', ')} was made of is not written down`;
}

async function moveIntoPlace<Entry>(
  host: Host,
  kind: EntryKind<Entry>,
  out: string,
  path: string,
): Promise<void> {
  if (kind.find(path) !== undefined) return;
  await removeFolder(host, path);
  try {
    renameSync(out, path);
  } catch (error) {
    if (kind.find(path) === undefined) throw error;
  }
}

async function removeAbandoned(host: Host, folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const pid = findMaker(name);
    const path = join(folder, name);
    const ranAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (pid === undefined || ranAtMs === undefined) continue;
    if (!host.isProcessAlive(pid, { ranAtMs })) await removeFolder(host, path);
  }
}
