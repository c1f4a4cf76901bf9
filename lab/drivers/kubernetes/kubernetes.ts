import { readFile } from 'node:fs/promises';
import {
  CoordinationV1Api,
  CoreV1Api,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { HostError } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import { SharedConnections, type CertificateWindow } from './kubernetes-client.ts';
import type { ApiAnswer } from './kubernetes-get.ts';
import { startInContainer } from './kubernetes-exec.ts';
import { startRecording, type Recording, type WatchListener } from './kubernetes-recording.ts';

export { apiErrorStatus, apiErrorText } from './kubernetes-errors.ts';
export { apiProbe } from './kubernetes-probe.ts';
export type { CertificateWindow, WatchListener };

/** The Kubernetes API of one world, driven from the host through the forwarded port. */
export interface Kubernetes {
  readonly core: CoreV1Api;
  readonly coordination: CoordinationV1Api;
  readonly objects: KubernetesObjectApi;
  /** GET of a raw path; resolves to the status and text, rejects when nothing answers. */
  get(path: string): Promise<ApiAnswer>;
  /** When the certificates in use are valid: ours, and the API's own as soon as `get` was answered. */
  certificates(): CertificateWindow[];
  /** Starts a process that prints something in a container; see `kubernetes-exec.ts`. */
  exec(
    pod: { readonly name: string; readonly namespace: string },
    container: string,
    command: readonly string[],
  ): Promise<void>;
  /** Changes a pod as `kubectl patch` does, by a strategic merge. */
  patchPod(
    pod: { readonly name: string; readonly namespace: string },
    spec: object,
    subresource?: 'resize' | 'ephemeralcontainers',
  ): Promise<void>;
  /** Writes every change of a collection to a JSONL file until stopped; `stop` waits for the file. */
  record(path: string, localFile: string, onObject?: WatchListener): Promise<Recording>;
  /** Drops all connections and goes on with new ones; the recordings miss nothing by it. */
  reopen(): void;
  /** Drops the kept connections. */
  close(): void;
}

/** Opens the API with a kubeconfig file. Requests end when the signal of the host fires; recordings when stopped. */
export async function openKubernetes(
  kubeconfigFile: string,
  { clock, signal }: Pick<Host, 'clock' | 'signal'>,
): Promise<Kubernetes> {
  const config = new SharedConnections(signal);
  config.loadFromString(await readFile(kubeconfigFile, 'utf8'));
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new HostError('LAB_KUBECONFIG', `${kubeconfigFile} names no cluster`);
  const attached: { close(): void }[] = [];
  const recordings: Recording[] = [];
  const core = config.makeApiClient(CoreV1Api);
  return {
    core,
    coordination: config.makeApiClient(CoordinationV1Api),
    objects: KubernetesObjectApi.makeApiClient(config),
    get: (path) => config.get(`${server}${path}`),
    certificates: () => config.certificates(),
    record: async (path, localFile, onObject) => {
      const recording = await startRecording({ config, clock, path, localFile, onObject });
      recordings.push(recording);
      return recording;
    },
    patchPod: async (pod, spec, subresource) => {
      const request = { ...pod, body: { spec } };
      const merge = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);
      if (subresource === 'resize') await core.patchNamespacedPodResize(request, merge);
      else if (subresource === 'ephemeralcontainers')
        await core.patchNamespacedPodEphemeralcontainers(request, merge);
      else await core.patchNamespacedPod(request, merge);
    },
    exec: async ({ name, namespace }, container, command) => {
      attached.push(await startInContainer(config, signal, { namespace, pod: name, container, command }));
    },
    reopen: () => {
      config.close();
      for (const recording of recordings) recording.reopen();
    },
    close: () => {
      for (const connection of attached) connection.close();
      config.close();
    },
  };
}
