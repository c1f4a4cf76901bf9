import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BilledComponent, BilledProgram } from '../../lab/model/components/bill.ts';
import type { Locked } from '../../lab/model/components/component-lock.ts';
import type { Artifact } from '../../lab/model/components/components.ts';
import { digestInputs, flattenInputs } from '../../lab/model/components/inputs.ts';
import { parseLocalBuild } from '../../lab/model/components/local-build.ts';
import { cachePaths, entryRecords } from '../../lab/model/host/paths.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { readRecord } from '../cache/read-record.ts';
import { asItIs, type Sharing } from '../cache/sharing.ts';
import { digestFile, digestFiles } from './digest.ts';
import type { EntryInputs } from './inputs.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';

const KEY_LETTERS = 12;

/** `component.json` of a cache entry: its inputs, its files, and facts about the build. */
const recordSchema = z.object({
  formatVersion: z.literal(1),
  component: z.string(),
  version: z.string(),
  inputs: z.looseObject({
    source: z.looseObject({ kind: z.enum(['release', 'gomod', 'local', 'deb', 'rootfs', 'file']) }),
  }),
  digest: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
  /** Facts about the build, such as the Go version and the digest of go.sum. */
  facts: z.record(z.string(), z.string()),
});

/** Facts that a source records about its build. */
export type BuildFacts = Readonly<Record<string, string>>;

/** Entries of one version of a component: `<name>-<version>-<key>`, without the marks in the version of a local build. */
export function componentKind(
  cacheDir: string,
  { component, version }: Pick<EntryInputs, 'component' | 'version'>,
): EntryKind<Artifact> {
  const prefix = `${component}-${version.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}-`;
  return {
    title: `component ${component} ${version}`,
    folder: cachePaths(cacheDir).components,
    holds: (name) => name.startsWith(prefix) && name.length === prefix.length + KEY_LETTERS,
    nameOf: (inputs) => prefix + digestInputs(inputs).slice(0, KEY_LETTERS),
    find: findArtifact,
    findInputs: (path) => {
      const record = findRecord(path);
      return record === undefined ? undefined : flattenInputs(record.inputs);
    },
    usedFile: (path) => join(path, entryRecords.component),
    sharing,
  };
}

/** Programs are sent with their record. */
const sharing: Sharing = {
  name: 'component',
  pack: (_host, path) => {
    const record = findRecord(path);
    if (record === undefined) return Promise.resolve('its record cannot be read');
    if (parseLocalBuild(record.version) !== undefined) return Promise.resolve('it is a build of your own');
    const names = [...Object.keys(record.files), entryRecords.component];
    return Promise.resolve({ files: names.map((name) => asItIs(join(path, name))), secrets: [] });
  },
  mayHold: () => true,
  arrive: (_host, { pulled, out }) => Promise.resolve(renameSync(pulled, out)),
};

/** The entry of a component in the cache, whatever its version; undefined when its record cannot be read. */
export function findComponentKind(
  cacheDir: string,
  folder: string,
): { kind: EntryKind<Artifact>; version: string } | undefined {
  const record = findRecord(folder);
  return record && { kind: componentKind(cacheDir, record), version: record.version };
}

/** Writes the record of the programs in a folder. */
export async function writeComponentRecord(
  folder: string,
  inputs: EntryInputs,
  facts: BuildFacts,
): Promise<void> {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    files[name] = { bytes: statSync(path).size, sha256: await digestFile(path) };
  }
  const digest = digestFiles(
    Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file.sha256])),
  );
  const { component, version } = inputs;
  const record = { formatVersion: FORMAT_VERSION, component, version, inputs, digest, files, facts };
  writeFileSync(join(folder, entryRecords.component), `${JSON.stringify(record, null, 2)}\n`);
}

/** A whole entry: its record is readable and every file has the recorded length. */
function findArtifact(folder: string): Artifact | undefined {
  const record = findRecord(folder);
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

/** What a cache entry was made of, as far as a lock can name it; empty of other sources, and when there is no record. */
export function findLockedOf(folder: string): Locked[] {
  const record = findRecord(folder);
  if (record === undefined) return [];
  const { component, version, facts, inputs } = record;
  if (inputs.source.kind === 'release')
    return Object.entries(facts).flatMap(([name, url]): Locked[] => {
      const [, index] = /^url(\d+)$/.exec(name) ?? [];
      const digest = facts[`digest${index ?? ''}`];
      return digest === undefined ? [] : [{ component, version, source: 'release', url, digest }];
    });
  const { module, moduleSum } = facts;
  const go = /\bgo(\d+\.\d+(?:\.\d+)?)/.exec(facts['go'] ?? '')?.[1];
  if (module === undefined || moduleSum === undefined || go === undefined) return [];
  return [{ component, version, source: 'gomod', module, digest: moduleSum, go }];
}

/** What is recorded of a component in its folder of the cache; undefined when there is no record. */
export function findMade(folder: string): MadeComponent | undefined {
  const record = findRecord(folder);
  if (record === undefined) return undefined;
  const { digest, facts, inputs } = record;
  const programs = Object.entries(record.files).map(([name, { sha256 }]) => ({ name, sha256 }));
  return { source: inputs.source.kind, digest, facts, programs };
}

/** The programs of a component in the cache with such a digest; empty where it is not there. */
export function findProgramsOf(
  cacheDir: string,
  component: string,
  digest: string,
): MadeComponent['programs'] {
  const { components } = cachePaths(cacheDir);
  if (!existsSync(components)) return [];
  const made = readdirSync(components)
    .filter((name) => name.startsWith(`${component}-`))
    .map((name) => findMade(join(components, name)));
  return made.find((record) => record?.digest === digest)?.programs ?? [];
}

/** A component as it was made. */
type MadeComponent = Required<Pick<BilledComponent, 'source' | 'digest' | 'facts'>> & {
  readonly programs: readonly Pick<BilledProgram, 'name' | 'sha256'>[];
};

function findRecord(folder: string): z.infer<typeof recordSchema> | undefined {
  return recordSchema.safeParse(readRecord(join(folder, entryRecords.component))).data;
}
