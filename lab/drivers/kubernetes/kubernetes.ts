import type { Host } from '../../model/host/host.ts';
import type { CertificateWindow } from './kubernetes-client.ts';
import type { WatchListener } from './kubernetes-recording.ts';

import type { Kubernetes } from './kubernetes-api.ts';
export { apiErrorStatus, apiErrorText } from './kubernetes-errors.ts';
export { apiProbe } from './kubernetes-probe.ts';
export type { CertificateWindow, Kubernetes, WatchListener };

/**
 * Opens the API with a kubeconfig file. Requests end when the signal of the host fires; recordings when stopped. The
 * official client is hundreds of files, so it is loaded here: a plan, an estimate or a help needs none of them.
 */
export async function openKubernetes(
  kubeconfigFile: string,
  host: Pick<Host, 'clock' | 'signal'>,
): Promise<Kubernetes> {
  const { connectKubernetes } = await import('./connect-kubernetes.ts');
  return connectKubernetes(kubeconfigFile, host);
}
