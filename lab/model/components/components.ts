import {
  componentsSchema,
  type Component,
  type Components,
  type ComponentSource,
  type ComponentSourceOf,
} from './component-schema.ts';
import { ConfigError, configProblem, UsageError, type ConfigProblem } from '../errors/errors.ts';
import { parseLocalBuild, spellLocalBuild } from './local-build.ts';
import { catalogueName } from './under-test.ts';
import { formatHint, nearestName } from '../text/nearest.ts';
import { COMPONENTS_FILE } from '../files/declarations.ts';
import { parseOne, placeProblems, type ConfigFile } from '../files/yaml-file.ts';

export type {
  Component,
  Components,
  GoChoice,
  ComponentSource,
  ComponentSourceOf,
} from './component-schema.ts';
import { ownValue } from '../text/own-value.ts';

/** The file of a component that is a root file system of Debian packages: a tar, compressed by gzip. */
export const ROOT_ARCHIVE = 'rootfs.tar.gz';

/** A component as somebody asks for it; without a version: its default. */
export interface ComponentRef {
  readonly name: string;
  /** Exact version, a short name of the catalogue, `apt`, or a local build (see local-build.ts). */
  readonly version?: string;
}

/** A component that was built or fetched: content-addressed files in the cache. */
export interface Artifact {
  readonly component: string;
  /**
   * Exact version. For `apt`, where the suite decides, it is `apt`; for a local build the text of `recordLocalBuild` or
   * `recordCheckout`, which is not a release.
   */
  readonly version: string;
  readonly source: ComponentSource['kind'];
  /** SHA-256 over names and contents of the files (for `apt`: over the package names). */
  readonly digest: string;
  /** Program name to absolute path. Empty for `apt`; of a `rootfs` its only file, `ROOT_ARCHIVE`. */
  readonly files: Readonly<Record<string, string>>;
  /** Debian packages to install in the guest; empty unless the source is `apt`. */
  readonly packages: readonly string[];
}

/** How a download ended. After `unavailable` the next source is tried. */
export type DownloadResult =
  | { readonly ok: true; readonly bytes: number }
  | {
      readonly ok: false;
      /** Why, as a clause without the URL. */
      readonly unavailable: string;
      /** The host did not answer earlier in this run, and was not asked again. */
      readonly knownBefore?: true;
    };

/**
 * Saves the answer of an HTTPS URL to a file. A host that does not answer is not asked again by the same function.
 * Throws for a disk failure, never for a network or HTTP failure.
 */
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
export function parseComponents(text: string, path: string = COMPONENTS_FILE): Components {
  const problems: ConfigProblem[] = [];
  const file = { path, text };
  const components = parseCatalogue(file, problems);
  if (components === undefined) throw new ConfigError(placeProblems(problems, [file]));
  return components;
}

/** Reads `components.yaml`; undefined when something is wrong with it, which is added to the problems. */
export function parseCatalogue(file: ConfigFile, problems: ConfigProblem[]): Components | undefined {
  const components = parseOne(file, componentsSchema, problems);
  if (components === undefined) return undefined;
  const found = checkCatalogue(components, file.path);
  problems.push(...found);
  return found.length === 0 ? components : undefined;
}

/** What a schema cannot say about a catalogue: its versions have sources, and what nodes consist of is there. */
export function checkCatalogue(components: Components, file: string = COMPONENTS_FILE): ConfigProblem[] {
  return [
    ...checkNodes(components, file),
    ...checkClusters(components, file),
    ...checkVersions(components, file),
  ];
}

/** Of two clusters of one release, which is meant is not known. */
function checkClusters({ clusters }: Components, file: string): ConfigProblem[] {
  const releases = clusters.map(({ kubernetes }) => kubernetes);
  return releases.flatMap((release, index) =>
    releases.indexOf(release) === index
      ? []
      : [configProblem(file, `clusters.${index}.kubernetes`, 'each release once', `"${release}" twice`)],
  );
}

/**
 * Turns a name and a short or exact version into the exact version; without a version: the default. A local build stays
 * as it was written, except for its release, which becomes exact.
 *
 * @throws UsageError for an unknown component, or a version that is neither named nor possible.
 */
export function resolveVersion(components: Components, name: string, version?: string): string {
  const component = getComponent(components, name);
  const names = Object.entries(component.versions);
  const first = names[0]?.[1];
  if (version === undefined && first !== undefined) return first;
  const wanted = version ?? '';
  if (parseLocalBuild(wanted) !== undefined) return resolveLocalBuild(components, name, wanted);
  const exact = ownValue(component.versions, wanted);
  if (exact !== undefined) return exact;
  if (names.some(([, version]) => version === wanted)) return wanted;
  const digests = listDigests(component);
  if (digests.includes(wanted)) return wanted;
  const known = [...new Set([...names.flat(), ...digests])];
  const isExact = component.anyVersion && EXACT_VERSION.test(wanted) && !NO_DATE.test(wanted);
  if (isExact && listSources(component, wanted).length > 0) return wanted;
  throw new UsageError(`${name} has no version "${wanted}"`, {
    lastSeen: `known: ${known.join(', ')}${component.anyVersion ? `, or any exact version ${describeRanges(component)}` : ''}`,
    tryNext: `use one of these${formatHint(wanted, known)}, or add the version to ${COMPONENTS_FILE}`,
  });
}

/** A release number, a Go pseudo-version without its `v0.0.0-`, or a release named by its date (20260817.0). */
const EXACT_VERSION = /^\d+\.\d+\.\d+([.-][0-9A-Za-z.-]+)?$|^\d{14}-[0-9a-f]{12}$|^\d{8}\.\d+$/;

/** Eight digits or more at the beginning are a date; these are none of this century. */
export const NO_DATE = /^(?!20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))\d{8}/;

/** The version that means the package of the guest's suite. */
export const SUITE_VERSION = 'apt';

/**
 * Lists the sources that may have an exact version, in the order of the catalogue. For `apt` these are only the suite's
 * packages, for a local build only the user's files, and for a release every source whose range has it.
 */
export function listSources(component: Component, version: string): ComponentSource[] {
  return component.sources.filter((source) => {
    if (source.kind === 'apt') return version === SUITE_VERSION;
    if (source.kind === 'file') return parseLocalBuild(version) !== undefined;
    if (version === SUITE_VERSION || parseLocalBuild(version) !== undefined) return false;
    if (source.kind === 'release' && !source.downloads.every((download) => hasDigest(download, version)))
      return false;
    return (source.kind !== 'release' && source.kind !== 'gomod') || isInRange(source, version);
  });
}

/** The versions of which somebody has published digests, in the place of a project that publishes none. */
export function listDigests({ sources }: Pick<Component, 'sources'>): string[] {
  const versions = sources.flatMap((source) =>
    source.kind === 'release'
      ? source.downloads.flatMap(({ digests }) => Object.keys(digests?.of ?? {}))
      : [],
  );
  return [...new Set(versions)];
}

type ReleaseDownload = ComponentSourceOf<'release'>['downloads'][number];

/** Whether a download of this version can be compared with something. */
function hasDigest({ digests }: Pick<ReleaseDownload, 'digests'>, version: string): boolean {
  return digests === undefined || Object.hasOwn(digests.of, version);
}

/** The ways to build a component from its Go module, which are also the ways to build a checkout of it. */
export function findModules(component: Component): ComponentSourceOf<'gomod'>[] {
  return component.sources.filter((source) => source.kind === 'gomod');
}

interface Range {
  readonly from?: string | undefined;
  readonly below?: string | undefined;
}

/** Whether a version is in a range. A missing bound allows everything on that side. */
export function isInRange({ from, below }: Range, version: string): boolean {
  return (
    (from === undefined || compareVersions(version, from) >= 0) &&
    (below === undefined || compareVersions(version, below) < 0)
  );
}

/** What the ranges of the sources have together: `1.5.0 to the newest`. */
function describeRanges(component: Component): string {
  const merged: Range[] = [];
  for (const next of listRanges(component)) {
    const last = merged.pop();
    const isApart = last?.below !== undefined && compareVersions(next.from ?? '', last.below) > 0;
    if (last === undefined) merged.push(next);
    else if (isApart) merged.push(last, next);
    else merged.push({ from: last.from, below: newest(last.below, next.below) });
  }
  const spelled = merged.map(
    ({ from, below }) =>
      `${from ?? 'of any age'} to ${below === undefined ? 'the newest' : `below ${below}`}`,
  );
  return merged.every(({ from, below }) => from === undefined && below === undefined)
    ? 'such as 1.2.3'
    : `(${spelled.join(', ')})`;
}

/** The later of two ends; no end is later than any. */
function newest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return undefined;
  return compareVersions(a, b) < 0 ? b : a;
}

/** The ranges of the sources of releases, oldest first. */
function listRanges(component: Component): Range[] {
  return component.sources
    .flatMap((source) =>
      source.kind === 'gomod' || source.kind === 'release'
        ? [{ from: source.from, below: source.below }]
        : [],
    )
    .sort((a, b) => compareVersions(a.from ?? '', b.from ?? ''));
}

function resolveLocalBuild(components: Components, name: string, version: string): string {
  const build = parseLocalBuild(version);
  const source = getComponent(components, name).sources.find((candidate) => candidate.kind === 'file');
  if (build === undefined || source === undefined) {
    throw new UsageError(`${name} cannot be a local build`, {
      lastSeen: version,
      tryNext: `add a source of kind file to ${name} in ${COMPONENTS_FILE}`,
    });
  }
  const replaces = source.replaces === true;
  if (replaces !== (build.release !== undefined)) {
    throw new UsageError(`${name} has no version "${version}"`, {
      tryNext: replaces
        ? `say which release it goes with: ${spellLocalBuild(build, resolveVersion(components, name))}`
        : `a local build of ${name} is named by itself: ${spellLocalBuild(build)}`,
    });
  }
  if (build.kind === 'git' && findModules(getComponent(components, name)).length === 0) {
    throw new UsageError(`${name} cannot be built from a checkout`, {
      lastSeen: version,
      tryNext: `build it yourself and name its programs: ${spellLocalBuild({ kind: 'file', path: '<path>' }, build.release)}`,
    });
  }
  if (build.release === undefined) return version;
  return spellLocalBuild(build, resolveVersion(components, name, build.release));
}

/**
 * Finds a component by its name.
 *
 * @throws UsageError with the nearest name when there is none.
 */
export function getComponent(components: Components, name: string): Component {
  const wanted = catalogueName(name);
  const component = ownValue(components.components, wanted);
  if (component !== undefined) return component;
  const known = Object.keys(components.components);
  throw new UsageError(`unknown component "${name}"`, {
    lastSeen: `known: ${known.join(', ')}`,
    tryNext: `components are in ${COMPONENTS_FILE}${formatHint(name, known)}`,
  });
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

/** Every version that a node component or a cluster names must exist in its component. */
function checkNodes(components: Components, file: string): ConfigProblem[] {
  const maps = [
    { path: 'nodeComponents', map: components.nodeComponents },
    ...components.clusters.map((cluster, index) => ({
      path: `clusters.${index}.components`,
      map: cluster.components,
    })),
  ];
  const names = Object.keys(components.components);
  return maps.flatMap(({ path, map }) =>
    Object.entries(map).flatMap(([name, version]): ConfigProblem[] => {
      if (!names.includes(name)) {
        const nearest = nearestName(name, names);
        return [configProblem(file, path, 'the name of a component', `"${name}"`, nearest)];
      }
      if (isVersion(components, name, version)) return [];
      return [{ file, path: `${path}.${name}`, expected: `a version of ${name}`, received: `"${version}"` }];
    }),
  );
}

function isVersion(components: Components, name: string, version: string): boolean {
  try {
    resolveVersion(components, name, version);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Every version with a short name must have a source, and must not be a file of this host. */
function checkVersions(components: Components, file: string): ConfigProblem[] {
  return Object.entries(components.components).flatMap(([name, component]) =>
    Object.entries(component.versions).flatMap(([short, version]) => {
      const isMade = listSources(component, version).length > 0 && parseLocalBuild(version) === undefined;
      if (isMade && version.startsWith(short)) return [];
      const expected = isMade
        ? `a version that begins with ${short}`
        : // A short name would hide which file of the host is meant.
          'a version that one of its sources has, and no local build';
      return [{ file, path: `components.${name}.versions.${short}`, expected, received: `"${version}"` }];
    }),
  );
}
