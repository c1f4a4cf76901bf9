import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  Watch,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { HostError } from '../model/errors.ts';
import type { Clock } from '../model/host.ts';

/** The Kubernetes API of one world, driven from the host through the forwarded port. */
export interface Kubernetes {
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  readonly coordination: CoordinationV1Api;
  readonly objects: KubernetesObjectApi;
  /** GET of a raw path; resolves to the status and text, rejects when nothing answers. */
  get(path: string): Promise<{ status: number; text: string }>;
  /** Writes every change of a collection to a JSONL file until stopped; `stop` waits for the file. */
  record(path: string, localFile: string, onObject?: WatchListener): Promise<Recording>;
}

/** Called with each change as it is written. */
export type WatchListener = (type: string, object: KubernetesObject & Record<string, unknown>) => void;

/** A running record of one collection. */
export interface Recording {
  /** Ends the watch; resolves to the reasons for which changes may be missing (empty = complete). */
  stop(): Promise<string[]>;
}

/** Opens the API with a kubeconfig file. */
export async function openKubernetes(kubeconfigFile: string, clock: Clock): Promise<Kubernetes> {
  const config = new KubeConfig();
  config.loadFromString(await readFile(kubeconfigFile, 'utf8'));
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new HostError('LAB_KUBECONFIG', `${kubeconfigFile} names no cluster`);
  return {
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    coordination: config.makeApiClient(CoordinationV1Api),
    objects: KubernetesObjectApi.makeApiClient(config),
    get: async (path) => rawGet(config, server, path),
    record: async (path, localFile, onObject) => startRecording(config, clock, path, localFile, onObject),
  };
}

/** Whether an error of the client is the API saying "no such object". */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiException && error.code === 404;
}

/** The API's own message of an error, or the error's. */
export function apiErrorText(error: unknown): string {
  if (error instanceof ApiException) {
    const body: unknown = error.body;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `HTTP ${error.code}: ${/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.slice(0, 300)}`;
  }
  return error instanceof Error ? error.message : String(error);
}

async function rawGet(config: KubeConfig, server: string, path: string): Promise<{ status: number; text: string }> {
  const { request } = await import('node:https');
  const options: import('node:https').RequestOptions = { timeout: 10_000 };
  await config.applyToHTTPSOptions(options);
  return new Promise((resolve, reject) => {
    const call = request(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error(`no answer from ${server} within 10 s`)));
    call.on('error', reject);
    call.end();
  });
}

async function startRecording(
  config: KubeConfig,
  clock: Clock,
  path: string,
  localFile: string,
  onObject: WatchListener | undefined,
): Promise<Recording> {
  await mkdir(dirname(localFile), { recursive: true });
  const file: WriteStream = createWriteStream(localFile);
  const gaps: string[] = [];
  let stopped = false;
  let resourceVersion: string | undefined;
  let controller: AbortController | undefined;
  let pending: Promise<void> = Promise.resolve();

  const follow = async (): Promise<void> => {
    const query = resourceVersion === undefined ? {} : { resourceVersion };
    await new Promise<void>((resolve, reject) => {
      new Watch(config)
        .watch(
          path,
          query,
          (type: string, object: KubernetesObject & Record<string, unknown>) => {
            if (type === 'ERROR') {
              gaps.push(`watch of ${path}: ${JSON.stringify(object).slice(0, 200)}`);
              resourceVersion = undefined;
              return;
            }
            resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
            if (type === 'BOOKMARK') return;
            file.write(`${JSON.stringify({ at: new Date(clock.now()).toISOString(), type, object })}\n`);
            onObject?.(type, object);
          },
          (error: unknown) => (stopped || error === null || error === undefined ? resolve() : reject(error as Error)),
        )
        .then((opened) => {
          controller = opened;
          if (stopped) opened.abort();
        }, reject);
    });
  };
  const keepFollowing = async (): Promise<void> => {
    let failures = 0;
    while (!stopped) {
      try {
        await follow();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1) gaps.push(`watch of ${path} was interrupted: ${apiErrorText(error)}`);
        if (!stopped) await clock.sleep(500);
      }
    }
  };
  pending = keepFollowing();
  return {
    stop: async () => {
      stopped = true;
      controller?.abort();
      await pending;
      await new Promise<void>((resolve) => file.end(() => resolve()));
      return gaps;
    },
  };
}
