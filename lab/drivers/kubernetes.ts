import { readFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import {
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
} from '@kubernetes/client-node';
import { HostError } from '../model/errors.ts';
import type { Clock } from '../model/host.ts';
import { startRecording, type Recording, type WatchListener } from './kubernetes-recording.ts';

export { apiErrorText, isNotFound } from './kubernetes-errors.ts';
export type { Recording, WatchListener };

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
    record: async (path, localFile, onObject) => startRecording({ config, clock, path, localFile, onObject }),
  };
}

async function rawGet(
  config: KubeConfig,
  server: string,
  path: string,
): Promise<{ status: number; text: string }> {
  const options: RequestOptions = { timeout: 10_000 };
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
