import { join } from 'node:path';
import { stringify } from 'yaml';
import { CommandError, HostError, InterruptedError } from '../../model/errors/errors.ts';
import type { Host, Look, Probe } from '../../model/host/host.ts';
import type { OciBlob, OciImage } from '../../model/declared/registry.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { ensureFolder, findText, writeTextAtomic } from '../files/files.ts';
import { randomName } from '../random.ts';

/** A registry of container images that runs on the host. */
export interface Registry {
  /** Resolves, never rejects, when the process has ended: to what is known of why. */
  readonly ended: Promise<string>;
  /**
   * Puts an image into it.
   *
   * @throws HostError LAB_REGISTRY when it does not take it; InterruptedError.
   */
  push(repository: string, tag: string, image: OciImage): Promise<void>;
  /** Ends the process and waits until it is gone; harmless when it is. */
  stop(): Promise<void>;
}

/** Where a registry runs. */
export interface RegistryPlace {
  /** `registry` of https://github.com/distribution/distribution, version 3. */
  readonly program: string;
  /** For all that it keeps; of its own. */
  readonly folder: string;
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
}

/** Files of a registry's folder. */
export const registryPaths = (folder: string) => ({
  /** The command line names it, by which the process is found again. */
  config: join(folder, 'config.yml'),
  log: join(folder, 'registry.log'),
  storage: join(folder, 'storage'),
});

const LOOK_MS = 100;
const LOG_LINES = 5;

/**
 * Starts a registry and waits until it answers.
 *
 * @throws HostError LAB_REGISTRY with what it said when it ends instead; ProbeTimeoutError; InterruptedError. No process is
 *   left then.
 */
export async function startRegistry(
  host: Pick<Host, 'run' | 'waitFor' | 'signal'>,
  { program, folder, port }: RegistryPlace,
): Promise<Registry> {
  const paths = registryPaths(folder);
  ensureFolder(paths.storage);
  writeTextAtomic(paths.config, renderConfig(paths.storage, port));
  const stopping = new AbortController();
  let why: string | undefined;
  const ended = host
    .run(program, ['serve', paths.config], {
      cwd: folder,
      // It would look for a collector of traces on the host otherwise.
      env: { OTEL_TRACES_EXPORTER: 'none' },
      signal: stopping.signal,
      logFile: paths.log,
    })
    .then(
      () => 'it ended by itself',
      (error: unknown) => describeEnd(error, paths.log),
    )
    .then((reason) => (why = reason));
  const registry: Registry = {
    ended,
    push: (repository, tag, image) =>
      push({ root: `http://127.0.0.1:${port}/v2/${repository}`, signal: host.signal }, tag, image),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
  const answers: Probe = {
    title: `the registry to answer on 127.0.0.1:${port}`,
    look: async () => {
      if (why !== undefined) throw endedEarly(why);
      return lookAt(`http://127.0.0.1:${port}/v2/`);
    },
  };
  try {
    const limits = { timeoutMs: TIME_LIMITS.host.registryStarts.ms, intervalMs: LOOK_MS, log: paths.log };
    await host.waitFor(answers, { ...limits, signal: host.signal });
    return registry;
  } catch (error) {
    await registry.stop();
    throw error;
  }
}

/** Why a registry that was needed has gone. */
export function endedEarly(why: string): HostError {
  return new HostError('LAB_REGISTRY', `the registry of the cell ended: ${why}`, {
    tryNext: 'see what killed it: dmesg, free disk and memory of the host; then run the cell again',
  });
}

/** https://distribution.github.io/distribution/about/configuration/ */
function renderConfig(storage: string, port: number): string {
  return stringify({
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: storage } },
    // A secret of its own: it says on each start that it has none otherwise.
    http: { addr: `127.0.0.1:${port}`, secret: randomName() },
  });
}

function describeEnd(error: unknown, log: string): string {
  if (!(error instanceof CommandError)) return String(error);
  const said = (findText(log) ?? '').trim().split('\n').slice(-LOG_LINES).join('\n');
  const how = error.failure === 'killed' ? `killed by ${error.signal ?? 'a signal'}` : error.failure;
  return said === '' ? how : `${how}: ${said}`;
}

async function lookAt(url: string): Promise<Look<true>> {
  try {
    const { status } = await fetch(url);
    return status === 200 ? { done: true, value: true } : { done: false, seen: `HTTP ${status}` };
  } catch (error) {
    return { done: false, seen: (error as Error).message };
  }
}

/** What a push works on: the address of the repository. */
interface Push {
  readonly root: string;
  readonly signal: AbortSignal;
}

/** https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#push */
async function push(
  work: Push,
  tag: string,
  { config, layer, manifest, mediaType }: OciImage,
): Promise<void> {
  for (const blob of [config, layer]) await pushBlob(work, blob);
  await send(work, `${work.root}/manifests/${tag}`, {
    method: 'PUT',
    body: manifest,
    headers: { 'content-type': mediaType },
  });
}

async function pushBlob(work: Push, { content, digest }: OciBlob): Promise<void> {
  const begun = await send(work, `${work.root}/blobs/uploads/`, { method: 'POST' });
  const place = new URL(begun.headers.get('location') ?? '', work.root);
  place.searchParams.set('digest', digest);
  await send(work, place.href, {
    method: 'PUT',
    body: content,
    headers: { 'content-type': 'application/octet-stream' },
  });
}

async function send({ signal }: Push, url: string, request: RequestInit): Promise<Response> {
  const refuse = (lastSeen: string, cause?: unknown): HostError =>
    new HostError('LAB_REGISTRY', 'the registry of the cell did not take an image', {
      lastSeen: `${request.method ?? ''} ${url}: ${lastSeen}`,
      tryNext: 'look at the free disk of the host, then run the cell again',
      ...(cause === undefined ? {} : { cause }),
    });
  let answer: Response;
  try {
    answer = await fetch(url, { ...request, signal });
  } catch (error) {
    if (signal.aborted) throw new InterruptedError('interrupted while an image was pushed', { cause: error });
    throw refuse((error as Error).message, error);
  }
  const said = await answer.text();
  if (!answer.ok) throw refuse(`HTTP ${answer.status} ${said.slice(0, 200)}`);
  return answer;
}
