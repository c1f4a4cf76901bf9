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
import { SharedConnections } from './kubernetes-client.ts';
import { startInContainer } from './kubernetes-exec.ts';
import { startRecording, type Recording } from './kubernetes-recording.ts';
import type { Kubernetes } from './kubernetes-api.ts';

/** The API of a kubeconfig file, through the official client. */
export async function connectKubernetes(
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
