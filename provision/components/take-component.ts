import { existsSync } from 'node:fs';
import type { ComponentLock } from '../../lab/model/components/component-lock.ts';
import {
  getComponent,
  listSources,
  resolveVersion,
  type Artifact,
  type ComponentRef,
  type Components,
  type ComponentSource,
} from '../../lab/model/components/components.ts';
import { flattenInputs } from '../../lab/model/components/inputs.ts';
import { catalogueName, nameInNode } from '../../lab/model/components/under-test.ts';
import { HostError } from '../../lab/model/errors/errors.ts';
import { entryPath } from '../cache/entry-kind.ts';
import { takeEntry } from '../cache/entry.ts';
import { componentKind } from './component-record.ts';
import { describePackages } from './deb.ts';
import { planInputs, type EntryInputs } from './inputs.ts';
import { digestLocalSource } from './local.ts';
import { compareWithLock, isLocked, readLock } from './lock.ts';
import type { ComponentHost } from './source.ts';

/** A host, and what is locked in its project. */
interface LockedHost {
  readonly host: ComponentHost;
  readonly lock: ComponentLock;
}

/**
 * Takes a component out of the cache, or of the remote cache, without making it.
 *
 * @returns undefined when it is in neither, and for a build of your own.
 * @throws UsageError for a component or version that the catalogue does not know; HostError LAB_COMPONENT_CHECKSUM.
 */
export async function takeComponent(
  host: ComponentHost,
  components: Components,
  ref: ComponentRef,
): Promise<Artifact | undefined> {
  const name = catalogueName(ref.name);
  const exact = resolveVersion(components, name, ref.version);
  const sources = listSources(getComponent(components, name), exact);
  const [first] = sources;
  if (first?.kind === 'file') return undefined;
  if (first?.kind === 'apt') return describePackages(name, exact, first.packages);
  const lock = readLock(host);
  const plans = await Promise.all(sources.map((source) => planSource(host, name, exact, source)));
  const found = await takeAny(
    { host, lock },
    plans.filter(({ inputs }) => mayUse(host, lock, inputs)),
  );
  return found && nameInNode(found, ref.name);
}

/** Whether a source may be taken: with `--locked` only one that the lock has. */
export function mayUse(
  host: Pick<ComponentHost, 'locked'>,
  lock: ComponentLock,
  inputs: EntryInputs,
): boolean {
  return host.locked !== true || isLocked(lock, inputs);
}

/** Takes an entry of any source, those of this cache first: they are the same release. */
export async function takeAny(
  locked: LockedHost,
  plans: readonly { readonly inputs: EntryInputs }[],
): Promise<Artifact | undefined> {
  const { cacheDir } = locked.host;
  const isHere = ({ inputs }: { readonly inputs: EntryInputs }): boolean =>
    existsSync(entryPath(componentKind(cacheDir, inputs), flattenInputs(inputs)));
  for (const { inputs } of [...plans.filter(isHere), ...plans.filter((plan) => !isHere(plan))]) {
    if (inputs.source.kind === 'apt') continue;
    const found = await takeLocked(locked, inputs);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Takes an entry out of the cache, or of the remote cache.
 *
 * @throws HostError LAB_COMPONENT_CHECKSUM when it was made of something else than is locked.
 */
async function takeLocked({ host, lock }: LockedHost, inputs: EntryInputs): Promise<Artifact | undefined> {
  const kind = componentKind(host.cacheDir, inputs);
  const path = entryPath(kind, flattenInputs(inputs));
  const compared = compareWithLock(lock, path);
  if (compared.fits)
    return takeEntry(host, { kind, inputs: flattenInputs(inputs), refuse: refuseUnlockedIn(lock) });
  throw new HostError('LAB_COMPONENT_CHECKSUM', `the ${kind.title} in the cache is not what is locked`, {
    lastSeen: compared.other,
    tryNext: `when the lock is right, remove ${path}; when the cache is, remove the entry from the lock`,
  });
}

/** Says of an entry that came from elsewhere whether it was made of something else than is locked. */
export function refuseUnlockedIn(lock: ComponentLock): (path: string) => string | undefined {
  return (path) => {
    const compared = compareWithLock(lock, path);
    return compared.fits ? undefined : `it is not what is locked: ${compared.other}`;
  };
}

/** What an entry of a source is made of. */
export async function planSource(
  host: Pick<ComponentHost, 'projectDir' | 'ownDir'>,
  name: string,
  version: string,
  source: ComponentSource,
): Promise<{ source: ComponentSource; inputs: EntryInputs }> {
  const content = source.kind === 'local' ? await digestLocalSource(host, source) : undefined;
  return { source, inputs: planInputs(name, version, source, content) };
}
