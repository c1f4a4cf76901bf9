import type { CoordinationV1Api, CoreV1Api, KubernetesObjectApi } from '@kubernetes/client-node';
import type { CertificateWindow } from './kubernetes-client.ts';
import type { ApiAnswer } from './kubernetes-get.ts';
import type { Recording, WatchListener } from './kubernetes-recording.ts';

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
