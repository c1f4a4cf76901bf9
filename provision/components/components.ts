import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  COMPONENTS_FILE,
  getComponent,
  listSources,
  parseComponents,
  resolveVersion,
  type Artifact,
  type ComponentRef,
  type Components,
  type Source,
} from '../../lab/model/components.ts';
import { HostError, InternalError } from '../../lab/model/errors.ts';
import { parseLocalBuild } from '../../lab/model/local-build.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { entryFolder, explainMiss, findEntry, markEntryUsed, storeEntry } from './component-record.ts';
import { replacePrograms, storeLocalBuild } from './file.ts';
import { ensureGo, type Go } from './go.ts';
import { buildFromModule } from './gomod.ts';
import { planInputs, type EntryInputs } from './inputs.ts';
import { buildFromFolder, digestLocalSource } from './local.ts';
import { downloadRelease } from './release.ts';
import {
  buildLog,
  explainFailure,
  type BuildContext,
  type ComponentHost,
  type SourceResult,
} from './source.ts';

/** Reads `components.yaml` of a project. Throws ConfigError with every problem. */
export function readComponents(projectDir: string): Components {
  return parseComponents(readFileSync(join(projectDir, COMPONENTS_FILE), 'utf8'));
}

/**
 * Finds components in the cache or makes them, in the order asked for, each once.
 *
 * @throws UsageError for a component or version that the catalogue does not know, or a local build that is not whole.
 * @throws HostError when no source has it, a checksum is wrong, or a build fails.
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
  const session: Session = { host, components, getGo: once(() => ensureGo(host)) };
  const done = new Map<string, Artifact>();
  for (const { name, version } of exact) {
    const key = `${name} ${version}`;
    if (!done.has(key)) done.set(key, await ensureComponent(session, name, version));
  }
  return exact.flatMap(({ name, version }) => done.get(`${name} ${version}`) ?? []);
}

/**
 * Looks a component up in the cache without making it, or says why it would be made.
 *
 * @throws UsageError for a component or version that the catalogue does not know.
 */
export async function lookUpComponent(
  host: Pick<ComponentHost, 'projectDir' | 'cacheDir'>,
  components: Components,
  { name, version }: ComponentRef,
): Promise<{ version: string; artifact?: Artifact; why: string }> {
  const exact = resolveVersion(components, name, version);
  const sources = listSources(getComponent(components, name), exact);
  if (sources[0]?.kind === 'file')
    return { version: exact, why: 'a local build is read each time it is asked for' };
  if (sources[0]?.kind === 'apt') {
    const artifact = describePackages(name, exact, sources[0].packages);
    return { version: exact, artifact, why: `packages of the suite: ${artifact.packages.join(' ')}` };
  }
  const cacheFolder = cachePaths(host.cacheDir).components;
  const plans = await Promise.all(sources.map((source) => planSource(host, name, exact, source)));
  for (const { inputs } of plans) {
    const artifact = findEntry(entryFolder(cacheFolder, inputs));
    if (artifact !== undefined) return { version: exact, artifact, why: entryFolder(cacheFolder, inputs) };
  }
  const reasons = plans.map(({ inputs }) => `${inputs.source.kind}: ${explainMiss(cacheFolder, inputs)}`);
  return { version: exact, why: reasons.join('; ') };
}

interface Session {
  readonly host: ComponentHost;
  readonly components: Components;
  readonly getGo: () => Promise<Go>;
}

async function ensureComponent(session: Session, name: string, version: string): Promise<Artifact> {
  const { host } = session;
  const sources = listSources(getComponent(session.components, name), version);
  const cacheFolder = cachePaths(host.cacheDir).components;
  const [first] = sources;
  if (first?.kind === 'file') {
    // What the user built is looked for before a release is built that it would go into.
    const build = await storeLocalBuild(cacheFolder, host.projectDir, name, version, first);
    const release = parseLocalBuild(version)?.release;
    return release === undefined
      ? build
      : replacePrograms(await ensureComponent(session, name, release), build);
  }
  const plans = await Promise.all(sources.map((source) => planSource(host, name, version, source)));
  // An entry of any source will do: they are the same release.
  for (const { inputs } of plans) {
    const found = findEntry(entryFolder(cacheFolder, inputs));
    if (found === undefined) continue;
    markEntryUsed(entryFolder(cacheFolder, inputs), host.clock.now());
    return found;
  }
  const reasons: string[] = [];
  for (const { source, inputs } of plans) {
    if (source.kind === 'apt') return describePackages(name, version, source.packages);
    const made = await makeEntry(session, cacheFolder, inputs);
    if ('artifact' in made) return made.artifact;
    reasons.push(`${source.kind}: ${made.unavailable}`);
    host.progress.note(`${name} ${version} is not available from ${source.kind}: ${made.unavailable}`);
  }
  throw new HostError('LAB_COMPONENT_UNAVAILABLE', `no source has ${name} ${version}`, {
    lastSeen: reasons.join('; '),
    tryNext: `check the network and the version; the sources are in ${COMPONENTS_FILE}`,
  });
}

async function planSource(
  host: Pick<ComponentHost, 'projectDir'>,
  name: string,
  version: string,
  source: Source,
): Promise<{ source: Source; inputs: EntryInputs }> {
  const content = source.kind === 'local' ? await digestLocalSource(host.projectDir, source) : undefined;
  return { source, inputs: planInputs(name, version, source, content) };
}

/** Raised inside a new entry to give it up; never leaves this file. */
class Unavailable extends Error {}

async function makeEntry(
  session: Session,
  cacheFolder: string,
  inputs: EntryInputs,
): Promise<{ artifact: Artifact } | { unavailable: string }> {
  const { host } = session;
  const title = `${inputs.component} ${inputs.version}`;
  const why = explainMiss(cacheFolder, inputs);
  const logFile = buildLog(cacheFolder, inputs.component, inputs.version);
  mkdirSync(cacheFolder, { recursive: true });
  rmSync(logFile, { force: true });
  try {
    const artifact = await host.progress.step(`${title} from ${inputs.source.kind} (${why})`, (update) =>
      storeEntry(cacheFolder, inputs, async (outFolder, workFolder) => {
        const { version } = inputs;
        const context = {
          host,
          title,
          version,
          outFolder,
          workFolder,
          logFile,
          getGo: session.getGo,
          update,
        };
        const result = await runSource(context, inputs.source);
        if (!result.ok) throw new Unavailable(result.unavailable);
        return result.facts;
      }),
    );
    if (existsSync(logFile)) rmSync(logFile);
    return { artifact };
  } catch (error) {
    if (error instanceof Unavailable) {
      // The reason is told; a log is kept of what was tried and broke.
      rmSync(logFile, { force: true });
      return { unavailable: error.message };
    }
    throw explainFailure(error, { title, logFile });
  }
}

/** Runs the source as filled in for the version. */
async function runSource(context: BuildContext, source: Source): Promise<SourceResult> {
  switch (source.kind) {
    case 'release':
      return downloadRelease(context, source);
    case 'gomod':
      return buildFromModule(context, source);
    case 'local':
      return buildFromFolder(context, source);
    case 'apt':
    case 'file':
      throw new InternalError(`a component of kind ${source.kind} is not built`);
  }
}

function describePackages(component: string, version: string, packages: readonly string[]): Artifact {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex');
  return { component, version, source: 'apt', digest, files: {}, packages };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
