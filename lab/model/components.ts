import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, UsageError, type ConfigProblem } from './errors.ts';
import { formatHint, nearestName } from './nearest.ts';

/**
 * Schema of `components.yaml`: every program that we put on a host or into a guest, its versions, and the sources
 * it may come from, tried in the order in which they are written.
 *
 * Templates (`url`, `package`, `ldflags`, …) know `{version}`, `{major}`, `{minor}` and `{patch}`.
 */

/** Name of the catalogue file, in the root of the project. */
export const COMPONENTS_FILE = 'components.yaml';

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 digest: 64 lower-case hexadecimal digits');
const goVersionSchema = z.string().regex(/^1\.\d+(\.\d+)?$/, 'an exact Go version such as 1.26.8');

/** The Go toolchain for a source; with a list, the first entry whose `below` is above the version. */
const goSchema = z.union([
  goVersionSchema,
  z
    .array(z.strictObject({ below: z.string().optional(), go: goVersionSchema }))
    .min(1)
    .describe('Go of its time: first entry with the version below `below`; the last one has no `below`.'),
]);

const ldflagsSchema = z.array(z.string()).default([]).describe('Linker flags added to `-s -w`.');
const binarySchema = z.string().regex(/^[a-z0-9][a-zA-Z0-9._-]*$/, 'a file name');

const aptSourceSchema = z
  .strictObject({ kind: z.literal('apt'), packages: z.array(z.string().min(1)).min(1) })
  .describe('Packages of the Debian suite of the guest, installed while the image is built.');

const downloadSchema = z
  .strictObject({
    url: z.string().regex(/^https?:\/\//, 'an http(s) URL template'),
    sha256: z
      .record(z.string(), sha256Schema)
      .describe('Digest of the downloaded file for each exact version.'),
    binary: binarySchema.optional().describe('The download is this program itself.'),
    members: z
      .record(binarySchema, z.string().min(1))
      .optional()
      .describe('The download is a .tar or .tar.gz: program name to path inside the archive.'),
  })
  .refine((d) => (d.binary === undefined) !== (d.members === undefined), {
    error: 'exactly one of binary and members',
  });

const releaseSourceSchema = z
  .strictObject({ kind: z.literal('release'), downloads: z.array(downloadSchema).min(1) })
  .describe(
    'Upstream downloads, each with a pinned digest; used only for versions whose digests are all pinned.',
  );

const gomodSourceSchema = z
  .strictObject({
    kind: z.literal('gomod'),
    module: z.string().min(1),
    moduleVersion: z.string().default('v{version}'),
    go: goSchema,
    binaries: z.record(binarySchema, z.string()).describe('Program name to package, relative to the module.'),
    ldflags: ldflagsSchema,
    stagingVersion: z
      .string()
      .optional()
      .describe('Version of the modules that the module replaces by a folder of its own repository.'),
  })
  .describe('Built from the public Go module, verified by the checksum database.');

const localSourceSchema = z
  .strictObject({
    kind: z.literal('local'),
    folder: z.string().min(1).describe('Go module in this repository, relative to its root.'),
    go: goSchema,
    binaries: z.record(binarySchema, z.string()).describe('Program name to package, relative to the folder.'),
    ldflags: ldflagsSchema,
  })
  .describe('Built from a Go folder of this repository; its content is part of the cache key.');

const sourceSchema = z.discriminatedUnion('kind', [
  aptSourceSchema,
  releaseSourceSchema,
  gomodSourceSchema,
  localSourceSchema,
]);

const componentSchema = z.strictObject({
  about: z.string().min(1),
  versions: z
    .record(z.string(), z.string())
    .describe('Short name to exact version; the first is the default.'),
  anyVersion: z
    .boolean()
    .default(false)
    .describe('Any exact version that a source resolves is accepted too.'),
  sources: z.array(sourceSchema).min(1),
});

const clusterSchema = z
  .strictObject({ kubernetes: z.string(), components: z.record(z.string(), z.string()) })
  .describe(
    'What a node of this Kubernetes minor release consists of besides Kubernetes: component to version.',
  );

/** Schema of the whole file. */
export const componentsSchema = z.strictObject({
  formatVersion: z.literal(1),
  components: z.record(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), componentSchema),
  clusters: z.array(clusterSchema).default([]),
});

/** The catalogue: `components.yaml` as read, defaults filled in. */
export type Components = z.infer<typeof componentsSchema>;
/** One component of the catalogue. */
export type Component = z.infer<typeof componentSchema>;
/** One way to get a component. */
export type Source = z.infer<typeof sourceSchema>;
/** A source of one kind. */
export type SourceOf<K extends Source['kind']> = Extract<Source, { kind: K }>;
/** Which Go builds a source. */
export type GoChoice = z.infer<typeof goSchema>;

/** A component as asked for; without a version: its default. */
export interface ComponentRef {
  readonly name: string;
  /** Exact version or a short name of the catalogue. */
  readonly version?: string;
}

/** A component that is there: content-addressed files in the cache. */
export interface Artifact {
  readonly component: string;
  /** Exact version; for `apt` the suite decides and this is `apt`. */
  readonly version: string;
  readonly source: Source['kind'];
  /** SHA-256 over names and contents of the files (for `apt`: over the package names). */
  readonly digest: string;
  /** Program name to absolute path. Empty for `apt`. */
  readonly files: Readonly<Record<string, string>>;
  /** Debian packages to install in the guest; empty unless the source is `apt`. */
  readonly packages: readonly string[];
}

/** What a download ended with. `unavailable` lets the next source have its turn. */
export type DownloadResult =
  { readonly ok: true; readonly bytes: number } | { readonly ok: false; readonly unavailable: string };

/** Saves what a URL answers to a file. Never throws for a network or HTTP failure; does for a disk failure. */
export type Download = (
  url: string,
  file: string,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<DownloadResult>;

/**
 * Reads the text of `components.yaml`.
 *
 * @throws ConfigError with every problem of the file.
 */
export function parseComponents(text: string, file: string = COMPONENTS_FILE): Components {
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map((error) => ({ file, path: '', expected: 'valid YAML', received: error.message })),
    );
  }
  const value: unknown = document.toJS();
  const parsed = componentsSchema.safeParse(value);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.flatMap((issue) => toProblems(file, value, issue)));
  const problems = checkClusters(parsed.data, file);
  if (problems.length > 0) throw new ConfigError(problems);
  return parsed.data;
}

/**
 * Turns a name and a short or exact version into the exact version; without a version: the default.
 *
 * @throws UsageError for an unknown component, or a version that is neither named nor possible.
 */
export function resolveVersion(components: Components, name: string, version?: string): string {
  const component = getComponent(components, name);
  const names = Object.entries(component.versions);
  const first = names[0]?.[1];
  if (version === undefined && first !== undefined) return first;
  const wanted = version ?? '';
  const exact = component.versions[wanted];
  if (exact !== undefined) return exact;
  if (names.some(([, each]) => each === wanted)) return wanted;
  if (component.anyVersion && /^\d+\.\d+\.\d+([.-][0-9A-Za-z.-]+)?$|^\d{14}-[0-9a-f]{12}$/.test(wanted))
    return wanted;
  const known = [...new Set(names.flat())];
  throw new UsageError(`${name} has no version "${wanted}"`, {
    lastSeen: `known: ${known.join(', ')}${component.anyVersion ? ', or any exact version such as 1.2.3' : ''}`,
    tryNext: `use one of these${formatHint(wanted, known)}, or add the version to ${COMPONENTS_FILE}`,
  });
}

/**
 * Finds a component by its name.
 *
 * @throws UsageError with the nearest name when there is none.
 */
export function getComponent(components: Components, name: string): Component {
  const component = Object.hasOwn(components.components, name) ? components.components[name] : undefined;
  if (component !== undefined) return component;
  const known = Object.keys(components.components);
  throw new UsageError(`there is no component "${name}"`, {
    lastSeen: `known: ${known.join(', ')}`,
    tryNext: `components are in ${COMPONENTS_FILE}${formatHint(name, known)}`,
  });
}

/**
 * Lists what a node of a Kubernetes version consists of, Kubernetes first, all versions exact. A minor release
 * that `clusters` does not name gets the entry of the nearest older one, else the oldest.
 */
export function listClusterComponents(components: Components, kubernetes: string): Required<ComponentRef>[] {
  const exact = resolveVersion(components, 'kubernetes', kubernetes);
  const sorted = components.clusters.toSorted((a, b) => compareVersions(b.kubernetes, a.kubernetes));
  const cluster = sorted.find((each) => compareVersions(each.kubernetes, exact) <= 0) ?? sorted.at(-1);
  const rest = Object.entries(cluster?.components ?? {}).map(([name, version]) => ({
    name,
    version: resolveVersion(components, name, version),
  }));
  return [{ name: 'kubernetes', version: exact }, ...rest];
}

/** Compares dotted versions number by number: negative when `a` is older. Missing numbers count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) =>
    text.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0),
  );
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function checkClusters(components: Components, file: string): ConfigProblem[] {
  const names = Object.keys(components.components);
  return components.clusters.flatMap((cluster, index) =>
    Object.keys(cluster.components)
      .filter((name) => !names.includes(name))
      .map((name) => ({
        file,
        path: `clusters.${index}.components`,
        expected: 'the name of a component',
        received: `"${name}"`,
        ...hint(name, names),
      })),
  );
}

function hint(word: string, names: readonly string[]): { nearest?: string } {
  const nearest = nearestName(word, names);
  return nearest === undefined ? {} : { nearest };
}

/** Fields a reader may have meant when one is unknown. */
const FIELDS = [
  ...[componentsSchema, componentSchema, clusterSchema, aptSourceSchema, releaseSourceSchema, downloadSchema],
  ...[gomodSourceSchema, localSourceSchema],
].flatMap((schema) => Object.keys(schema.shape));

function toProblems(file: string, root: unknown, issue: z.core.$ZodIssue): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      file,
      path: [...issue.path, key].join('.'),
      expected: 'a known field',
      received: `"${key}"`,
      ...hint(key, FIELDS),
    }));
  }
  const value = issue.path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    root,
  );
  const received = value === undefined ? 'nothing' : (JSON.stringify(value).slice(0, 80) ?? 'nothing');
  return [
    {
      file,
      path: issue.path.join('.'),
      expected: issue.message.replace(/^Invalid input: (expected )?/, ''),
      received,
    },
  ];
}
