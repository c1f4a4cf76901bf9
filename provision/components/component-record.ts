import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Artifact } from '../../lab/model/components.ts';
import { digestFile, digestFiles } from './digest.ts';
import { compareInputs, entryKey, type EntryInputs } from './inputs.ts';

const RECORD = 'component.json';
const BUILDING = '.building-';

/** `component.json` of a cache entry: what went in, what came out, and what is only worth knowing. */
const recordSchema = z.object({
  formatVersion: z.literal(1),
  component: z.string(),
  version: z.string(),
  inputs: z.looseObject({ source: z.looseObject({ kind: z.enum(['release', 'gomod', 'local', 'file']) }) }),
  digest: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
  /** Facts about the build, such as the Go version and the digest of go.sum. */
  facts: z.record(z.string(), z.string()),
});

/** What a source says about its build, beside the files. */
export type BuildFacts = Readonly<Record<string, string>>;

/** Folder of an entry: `<components>/<name>-<version>-<key>`, without the marks in the version of a local build. */
export function entryFolder(cacheFolder: string, inputs: EntryInputs): string {
  const version = inputs.version.replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return join(cacheFolder, `${inputs.component}-${version}-${entryKey(inputs)}`);
}

/** Finds a whole entry: its record is readable and every file has the recorded length. */
export function findEntry(folder: string): Artifact | undefined {
  const record = readRecord(folder);
  if (record === undefined) return undefined;
  const files: Record<string, string> = {};
  for (const [name, { bytes }] of Object.entries(record.files)) {
    const path = join(folder, name);
    if (!existsSync(path) || statSync(path).size !== bytes) return undefined;
    files[name] = path;
  }
  const { component, version, digest } = record;
  return { component, version, source: record.inputs.source.kind, digest, files, packages: [] };
}

/** Notes that an entry is used now; `lab cache prune` removes the least recently used first. */
export function markEntryUsed(folder: string, nowMs: number): void {
  utimesSync(join(folder, RECORD), new Date(nowMs), new Date(nowMs));
}

/** Says why there is no entry for these inputs: never built, damaged, or what changed since the newest one. */
export function explainMiss(cacheFolder: string, inputs: EntryInputs): string {
  const folder = entryFolder(cacheFolder, inputs);
  if (existsSync(folder)) return 'the cached files are damaged';
  const others = listEntries(cacheFolder)
    .map((name) => ({
      name,
      record: readRecord(join(cacheFolder, name)),
      at: modifiedAt(join(cacheFolder, name)),
    }))
    .filter((each) => each.record?.component === inputs.component)
    .sort((a, b) => b.at - a.at);
  const newest = others.find((each) => each.record?.version === inputs.version) ?? others[0];
  if (newest?.record === undefined) return 'not in the cache yet';
  // Another version changes every template with it: the version alone says it.
  if (newest.record.version !== inputs.version) return `other version than ${newest.name}`;
  return `changed since ${newest.name}: ${compareInputs(newest.record.inputs, inputs).join('; ')}`;
}

/**
 * Makes an entry: `build` writes the programs into a folder beside, which is renamed into place when whole, so a
 * crash or a second lab on the same cache never shows half an entry.
 */
export async function storeEntry(
  cacheFolder: string,
  inputs: EntryInputs,
  build: (outFolder: string, workFolder: string) => Promise<BuildFacts>,
): Promise<Artifact> {
  mkdirSync(cacheFolder, { recursive: true });
  removeAbandoned(cacheFolder);
  const temporary = join(cacheFolder, `${BUILDING}${process.pid}-${randomUUID()}`);
  const [out, work] = [join(temporary, 'out'), join(temporary, 'work')];
  try {
    mkdirSync(out, { recursive: true });
    mkdirSync(work);
    const facts = await build(out, work);
    await writeRecord(out, inputs, facts);
    const folder = entryFolder(cacheFolder, inputs);
    moveIntoPlace(out, folder);
    const artifact = findEntry(folder);
    if (artifact === undefined) throw new Error(`cache entry ${folder} is not readable after it was written`);
    return artifact;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function writeRecord(out: string, inputs: EntryInputs, facts: BuildFacts): Promise<void> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of readdirSync(out).sort()) {
    const path = join(out, name);
    files[name] = { bytes: statSync(path).size, sha256: await digestFile(path) };
  }
  const digest = digestFiles(
    Object.fromEntries(Object.entries(files).map(([name, each]) => [name, each.sha256])),
  );
  const { component, version } = inputs;
  const record = { formatVersion: 1, component, version, inputs, digest, files, facts };
  writeFileSync(join(out, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

/** Renames; an entry that another lab finished meanwhile wins, a damaged one is replaced. */
function moveIntoPlace(out: string, folder: string): void {
  if (findEntry(folder) !== undefined) return;
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(out, folder);
  } catch (error) {
    if (findEntry(folder) === undefined) throw error;
  }
}

/** Removes the work folders of processes that are gone. */
function removeAbandoned(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder).filter((each) => each.startsWith(BUILDING))) {
    const pid = Number(name.slice(BUILDING.length).split('-')[0]);
    if (!isAlive(pid)) rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function listEntries(cacheFolder: string): string[] {
  if (!existsSync(cacheFolder)) return [];
  return readdirSync(cacheFolder).filter((name) => !name.startsWith('.'));
}

function readRecord(folder: string): z.infer<typeof recordSchema> | undefined {
  const path = join(folder, RECORD);
  if (!existsSync(path)) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    // A record cut short by a full disk is a damaged entry, not a failure: it is built again.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function modifiedAt(path: string): number {
  return statSync(path).mtimeMs;
}
