import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  LOCK_FILE,
  nameLocked,
  parseLock,
  renderLock,
  spellLocked,
  type ComponentLock,
  type Locked,
} from '../../lab/model/components/component-lock.ts';
import {
  getComponent,
  listSources,
  resolveVersion,
  type ComponentRef,
  type Components,
} from '../../lab/model/components/components.ts';
import { ConfigError, HostError } from '../../lab/model/errors/errors.ts';
import { parseLocalBuild } from '../../lab/model/components/local-build.ts';
import { catalogueName } from '../../lab/model/components/under-test.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import type { ProjectFolders } from '../../lab/model/host/project-folders.ts';
import { writeWhole } from '../cache/write-whole.ts';
import { findLockedOf } from './component-record.ts';
import { planInputs, type EntryInputs } from './inputs.ts';
import type { ComponentHost } from './source.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';

/** What the lock needs to know of a host. */
export type LockHost = Pick<ComponentHost, 'projectDir' | 'ownDir' | 'stateDir' | 'locked'>;

const ABOUT_PROJECT = [
  'Digests of downloads and Go modules of components.yaml, written by `whodunit lock`. Commit it.',
  'A line is never rewritten: to accept another digest, remove its entry and run `whodunit lock` again.',
];
const ABOUT_FIRST_USE = ['Digests of downloads as this state folder first saw them.'];

/**
 * Reads what is known by its digest: the lock of the project, then what this state folder saw first. With `locked` only
 * the project counts.
 *
 * @throws ConfigError with every problem of the project's lock; HostError LAB_STATE_FILE.
 */
export function readLock({ projectDir, ownDir, stateDir, locked }: LockHost): ComponentLock {
  const project = readLocks({ projectDir, ownDir });
  const seen = locked === true ? [] : readFirstUse(stateDir);
  // A later entry of a map replaces an earlier one: the project has the last word.
  return new Map([
    ...seen.map((entry) => [nameLocked(entry), { locked: entry, file: firstUseFile(stateDir) }] as const),
    ...project.map((entry) => [nameLocked(entry), { locked: entry, file: LOCK_FILE }] as const),
  ]);
}

/** Reads the lock of whodunit, and that of a project over it: what whodunit has locked, nobody locks otherwise. */
export function readLocks({ projectDir, ownDir }: ProjectFolders): Locked[] {
  return [...(ownDir === undefined ? [] : readProjectLock(ownDir)), ...readProjectLock(projectDir)];
}

/** Reads the lock of a project; empty when it has none. Throws ConfigError with every problem. */
export function readProjectLock(projectDir: string): Locked[] {
  return parseLock(readText(join(projectDir, LOCK_FILE)) ?? EMPTY, LOCK_FILE);
}

/** Writes the lock of a project. Throws what writing a file throws. */
export function writeProjectLock(projectDir: string, locked: readonly Locked[]): void {
  writeWhole(join(projectDir, LOCK_FILE), renderLock(locked, ABOUT_PROJECT));
}

/** Remembers what was downloaded for the first time, so that a later difference is seen. Go keeps its own record. */
export function noteFirstUse({ stateDir }: LockHost, lock: ComponentLock, used: readonly Locked[]): void {
  const added = used.filter((entry) => entry.source === 'release' && !lock.has(nameLocked(entry)));
  if (added.length === 0) return;
  const all = new Map([...readFirstUse(stateDir), ...added].map((entry) => [nameLocked(entry), entry]));
  writeWhole(firstUseFile(stateDir), renderLock([...all.values()], ABOUT_FIRST_USE));
}

const EMPTY = `{ formatVersion: ${FORMAT_VERSION}, locked: [] }`;
const firstUseFile = (stateDir: string): string => statePaths(stateDir).firstUse;

function readFirstUse(stateDir: string): Locked[] {
  const path = firstUseFile(stateDir);
  try {
    return parseLock(readText(path) ?? EMPTY, basename(path));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new HostError('LAB_STATE_FILE', error.message, {
      tryNext: `move ${path} away: downloads are then trusted as if for the first time`,
      cause: error,
    });
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether a lock can have the digest of a source, and what the lock has to name for it. */
export function listLockNames({ component, version, source }: EntryInputs): string[] {
  if (source.kind === 'release')
    return source.downloads.map(({ url }) => nameLocked({ component, version, source: 'release', url }));
  if (source.kind === 'gomod') {
    const module = `${source.module}@${source.moduleVersion}`;
    return [nameLocked({ component, version, source: 'gomod', module })];
  }
  return [];
}

/** Whether the lock has all that a source has to be compared with; true of a source that no lock is for. */
export function isLocked(lock: Pick<ReadonlySet<string>, 'has'>, inputs: EntryInputs): boolean {
  return listLockNames(inputs).every((name) => lock.has(name));
}

/**
 * Compares what a cache entry was made of with the lock.
 *
 * @returns `other` says what differs.
 */
export function compareWithLock(
  lock: ComponentLock,
  path: string,
): { readonly fits: true } | { readonly fits: false; readonly other: string } {
  for (const used of findLockedOf(path)) {
    const known = lock.get(nameLocked(used));
    if (known !== undefined && spellLocked(known.locked) !== spellLocked(used))
      return {
        fits: false,
        other: `${nameLocked(used)}\n    expected ${spellLocked(known.locked)} (${known.file})\n    received ${spellLocked(used)} (${path})`,
      };
  }
  return { fits: true };
}

/** A release of a component, and where it can come from. */
export interface ReleaseSources {
  readonly component: string;
  readonly version: string;
  readonly sources: readonly EntryInputs[];
}

/**
 * The releases that some components are of, once each; of a local build, the one that it goes with.
 *
 * @throws UsageError for a component or version that the catalogue does not know.
 */
export function listReleases(components: Components, refs: readonly ComponentRef[]): ReleaseSources[] {
  const releases = refs.flatMap(({ name: inNode, version }): ReleaseSources[] => {
    const name = catalogueName(inNode);
    const exact = resolveVersion(components, name, version);
    const build = parseLocalBuild(exact);
    const release = build === undefined ? exact : build.release;
    if (release === undefined) return [];
    const sources = listSources(getComponent(components, name), release);
    return [
      {
        component: name,
        version: release,
        sources: sources.map((source) => planInputs(name, release, source)),
      },
    ];
  });
  return [...new Map(releases.map((entry) => [`${entry.component} ${entry.version}`, entry])).values()];
}

/**
 * Names the components that no source can be taken of with `--locked`, once each.
 *
 * @throws UsageError for a component or version that the catalogue does not know.
 */
function listUnlocked(lock: ComponentLock, components: Components, refs: readonly ComponentRef[]): string[] {
  return listReleases(components, refs)
    .filter(({ sources }) => sources.length > 0 && !sources.some((inputs) => isLocked(lock, inputs)))
    .map(({ component, version }) => `${component} ${version}`);
}

/**
 * Refuses, with `--locked`, components that the lock of the project does not have, before anything is made.
 *
 * @throws HostError LAB_COMPONENT_UNLOCKED naming all of them.
 */
export function checkLocked(host: LockHost, components: Components, refs: readonly ComponentRef[]): void {
  if (host.locked !== true) return;
  const lacking = listUnlocked(readLock(host), components, refs);
  if (lacking.length > 0) throw unlocked(lacking);
}

/** The error of components that no lock knows. */
export function unlocked(lacking: readonly string[]): HostError {
  return new HostError('LAB_COMPONENT_UNLOCKED', `${LOCK_FILE} does not have ${lacking.join(', ')}`, {
    tryNext: 'npx whodunit lock, with the same words, writes what they need; or leave out --locked',
  });
}
