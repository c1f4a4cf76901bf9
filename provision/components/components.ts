import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPONENTS_AT_ONCE } from '../../lab/model/limits/components-at-once.ts';
import { LOCK_FILE, type ComponentLock } from '../../lab/model/components/component-lock.ts';
import { COMPONENTS_FILE } from '../../lab/model/files/declarations.ts';
import {
  getComponent,
  listSources,
  parseComponents,
  resolveVersion,
  type Artifact,
  type ComponentRef,
  type Components,
  type ComponentSource,
} from '../../lab/model/components/components.ts';
import { doTogether } from '../../lab/model/work/together.ts';
import { ConfigError, configProblem, HostError, InternalError } from '../../lab/model/errors/errors.ts';
import { parseLocalBuild } from '../../lab/model/components/local-build.ts';
import { flattenInputs } from '../../lab/model/components/inputs.ts';
import { catalogueName, nameInNode } from '../../lab/model/components/under-test.ts';
import { cachePaths, temporaryPrefix } from '../../lab/model/host/paths.ts';
import { READABLE } from '../../lab/model/files/yaml-file.ts';
import { entryPath } from '../cache/entry-kind.ts';
import { ensureEntry, explainMiss, type Making } from '../cache/entry.ts';
import { componentKind, findLockedOf, writeComponentRecord } from './component-record.ts';
import { buildCheckout, readCheckout } from './checkout.ts';
import { describePackages, unpackPackage } from './deb.ts';
import { replacePrograms, storeLocalBuild } from './file.ts';
import { ensureGo, type Go } from './go.ts';
import { buildFromModule } from './gomod.ts';
import { ensureHostPackages } from './host-packages.ts';
import type { EntryInputs } from './inputs.ts';
import { buildFromFolder } from './local.ts';
import { compareWithLock, noteFirstUse, readLock, unlocked, type LockHost } from './lock.ts';
import { forgetNotHad, noteNotHad } from './unavailable.ts';
import { downloadRelease } from './release.ts';
import { unpackRoot } from './rootfs.ts';
import {
  buildLog,
  explainFailure,
  Unavailable,
  type BuildContext,
  type ComponentHost,
  type NotAvailable,
  type SourceResult,
} from './source.ts';
import { mayUse, planSource, refuseUnlockedIn, takeAny } from './take-component.ts';

/** Reads `components.yaml` of a project. Throws ConfigError with every problem. */
export function readComponents(projectDir: string): Components {
  let text: string;
  try {
    text = readFileSync(join(projectDir, COMPONENTS_FILE), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const received = code === 'ENOENT' ? 'nothing' : `a file that cannot be read (${code ?? 'unknown'})`;
    throw new ConfigError([configProblem(COMPONENTS_FILE, '', READABLE, received)], { cause: error });
  }
  return parseComponents(text);
}

/** Finds a component in the cache or makes it, once for each supply; `signal` ends the work. */
export type Supply = (ref: ComponentRef, signal?: AbortSignal) => Promise<Artifact>;

/**
 * Opens a supply of components: what several of them need, such as a Go of today, it looks for once. How many are made at
 * once is up to the caller.
 *
 * @returns a function that throws UsageError for a component or version that the catalogue does not know, or a local build
 *   that is not whole; HostError when no source has it, a checksum is wrong, or a build fails.
 */
export function openSupply(host: ComponentHost, components: Components): Supply {
  const session: Session = { host, components, lock: readLock(host), getGo: once(() => ensureGo(host)) };
  const begun = new Map<string, Promise<Artifact>>();
  return (ref, signal = host.signal) => {
    const name = catalogueName(ref.name);
    const version = resolveVersion(components, name, ref.version);
    const key = `${name} ${version}`;
    const made = begun.get(key) ?? ensureComponent({ ...session, host: { ...host, signal } }, name, version);
    begun.set(key, made);
    return made.then((artifact) => nameInNode(artifact, ref.name));
  };
}

/**
 * Finds components in the cache or makes them, begun in the order asked for, each once. The first that fails ends the
 * others.
 *
 * @throws what a supply throws.
 */
export async function ensureComponents(
  host: ComponentHost,
  components: Components,
  refs: readonly ComponentRef[],
): Promise<Artifact[]> {
  const exact = refs.map(({ name, version }) => ({
    name,
    version: resolveVersion(components, name, version),
  }));
  const supply = openSupply(host, components);
  return doTogether(
    exact.map((ref) => (signal) => supply(ref, signal)),
    { atOnce: COMPONENTS_AT_ONCE, signal: host.signal },
  );
}

/** What is known of a component before it is made. */
export interface ComponentLookup {
  /** Exact. */
  readonly version: string;
  /** The entry in the cache; undefined when it is not there. */
  readonly artifact?: Artifact;
  /** Where it is; for one that is not there, why it would be made. */
  readonly why: string;
  /** Sources that may have it, in the order in which they are asked. */
  readonly sources: readonly ComponentSource['kind'][];
}

/**
 * Looks a component up in the cache without making it, or says why it would be made.
 *
 * @throws UsageError for a component or version that the catalogue does not know.
 */
export async function lookUpComponent(
  host: Pick<ComponentHost, 'cacheDir'> & LockHost,
  components: Components,
  ref: ComponentRef,
): Promise<ComponentLookup> {
  const name = catalogueName(ref.name);
  const exact = resolveVersion(components, name, ref.version);
  const sources = listSources(getComponent(components, name), exact);
  const known = { version: exact, sources: sources.map(({ kind }) => kind) };
  if (sources[0]?.kind === 'file')
    return { ...known, why: 'a local build is read each time it is asked for' };
  if (sources[0]?.kind === 'apt') {
    const artifact = describePackages(name, exact, sources[0].packages);
    return { ...known, artifact, why: `packages of the suite: ${artifact.packages.join(' ')}` };
  }
  const plans = await Promise.all(sources.map((source) => planSource(host, name, exact, source)));
  const kind = componentKind(host.cacheDir, { component: name, version: exact });
  const lock = readLock(host);
  for (const { inputs } of plans) {
    const path = entryPath(kind, flattenInputs(inputs));
    const artifact = kind.find(path);
    if (artifact !== undefined && mayUse(host, lock, inputs) && compareWithLock(lock, path).fits)
      return { ...known, artifact: nameInNode(artifact, ref.name), why: path };
  }
  const reasons = plans.map(({ inputs }) => {
    const path = entryPath(kind, flattenInputs(inputs));
    const isThere = kind.find(path) !== undefined;
    return `${inputs.source.kind}: ${isThere ? `${path} is not what is locked` : explainMiss(kind, flattenInputs(inputs))}`;
  });
  const usable = plans.filter(({ inputs }) => mayUse(host, lock, inputs));
  return { ...known, sources: usable.map(({ source }) => source.kind), why: reasons.join('; ') };
}

interface Session {
  readonly host: ComponentHost;
  readonly components: Components;
  readonly lock: ComponentLock;
  readonly getGo: () => Promise<Go>;
}

async function ensureComponent(session: Session, name: string, version: string): Promise<Artifact> {
  const { host } = session;
  const sources = listSources(getComponent(session.components, name), version);
  const [first] = sources;
  if (first?.kind === 'file') {
    // The local build is looked for first: without it the release need not be built.
    const { kind, release } = parseLocalBuild(version) ?? {};
    const build =
      kind === 'git'
        ? await ensureCheckout(session, name, version, first.programs)
        : await storeLocalBuild(host, name, version, first);
    return release === undefined
      ? build
      : replacePrograms(await ensureComponent(session, name, release), build);
  }
  const plans = await Promise.all(sources.map((source) => planSource(host, name, version, source)));
  const usable = plans.filter(({ inputs }) => mayUse(host, session.lock, inputs));
  if (usable.length === 0) throw unlocked([`${name} ${version}`]);
  const found = await takeAny(session, usable);
  if (found !== undefined) return found;
  const reasons = plans
    .filter((plan) => !usable.includes(plan))
    .map(({ source }) => `${source.kind}: not in ${LOCK_FILE}`);
  for (const { source, inputs } of usable) {
    if (source.kind === 'apt') return describePackages(name, version, source.packages);
    const made = await makeFrom(session, inputs, (context) => runSource(context, inputs.source));
    if ('artifact' in made) {
      forgetNotHad(host.stateDir, name, version);
      return made.artifact;
    }
    reasons.push(`${source.kind}: ${made.unavailable}`);
    if (made.knownBefore !== true)
      host.progress.note(`${name} ${version} is not available from ${source.kind}: ${made.unavailable}`);
  }
  const lastSeen = reasons.join('; ');
  noteNotHad(host.stateDir, name, version, lastSeen);
  throw new HostError('LAB_COMPONENT_UNAVAILABLE', `no source has ${name} ${version}`, {
    lastSeen,
    tryNext: `check the network and the version; the sources are in ${COMPONENTS_FILE}`,
  });
}

/** The programs of a checkout, built unless this very tree was built before. */
async function ensureCheckout(
  session: Session,
  name: string,
  version: string,
  programs: readonly string[],
): Promise<Artifact> {
  const { host, components } = session;
  await ensureHostPackages(host, `${name} ${version}`, { git: 'git' });
  const work = mkdtempSync(join(tmpdir(), temporaryPrefix(process.pid)));
  try {
    const checkout = await readCheckout(host, work, { components, name, version, programs });
    const made = await makeFrom(session, checkout.inputs, (context) => buildCheckout(context, checkout));
    if ('artifact' in made) return made.artifact;
    throw new InternalError(`${name} ${version}: ${made.unavailable}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function makeFrom(
  { host, components: { debian }, lock, getGo }: Session,
  inputs: EntryInputs,
  build: (context: BuildContext) => Promise<SourceResult>,
): Promise<{ artifact: Artifact } | NotAvailable> {
  const { component, version, source } = inputs;
  const title = `${component} ${version}`;
  const cacheFolder = cachePaths(host.cacheDir).components;
  const logFile = buildLog(cacheFolder, component, version);
  mkdirSync(cacheFolder, { recursive: true });
  rmSync(logFile, { force: true });
  const make = async ({ out, work, why }: Making): Promise<void> => {
    const result = await host.progress.step(
      `${title} from ${source.kind} (${why})`,
      (update) => {
        const workFolder = join(work, 'work');
        for (const folder of [out, workFolder]) mkdirSync(folder);
        const context: BuildContext = {
          host,
          title,
          component,
          version,
          debian,
          lock,
          getGo,
          update,
          outFolder: out,
          workFolder,
          logFile,
        };
        return build(context);
      },
      // Another source is tried then: nothing has failed.
      { mark: ({ ok }) => (ok ? '✓' : '-') },
    );
    if (!result.ok) throw new Unavailable(result);
    await writeComponentRecord(out, inputs, result.facts);
  };
  try {
    const kind = componentKind(host.cacheDir, inputs);
    const artifact = await ensureEntry(host, {
      kind,
      inputs: flattenInputs(inputs),
      refuse: refuseUnlockedIn(lock),
      make,
    });
    rmSync(logFile, { force: true });
    noteFirstUse(host, lock, findLockedOf(entryPath(kind, flattenInputs(inputs))));
    return { artifact };
  } catch (error) {
    if (error instanceof Unavailable) {
      // The reason is printed. A log is kept only of a build that failed.
      rmSync(logFile, { force: true });
      return error.result;
    }
    throw explainFailure(error, { title, logFile });
  }
}

/** Runs the source as filled in for the version. */
async function runSource(context: BuildContext, source: ComponentSource): Promise<SourceResult> {
  switch (source.kind) {
    case 'release':
      return downloadRelease(context, source);
    case 'gomod':
      return buildFromModule(context, source);
    case 'local':
      return buildFromFolder(context, source);
    case 'deb':
      return unpackPackage(context, source);
    case 'rootfs':
      return unpackRoot(context, source);
    case 'apt':
    case 'file':
      throw new InternalError(`a component of kind ${source.kind} is not built`);
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
