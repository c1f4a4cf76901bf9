import { apiErrorStatus, apiErrorText, type Kubernetes } from '../../drivers/kubernetes.ts';
import type { Host, Look } from '../../model/host.ts';
import { RUNSC_HANDLER } from '../../../provision/guest/containerd-config.ts';
import { WORKLOADS_IMAGE } from '../../../provision/image/container-images.ts';

const NAMESPACE = 'default';
const START_TIMEOUT_MS = 4 * 60_000;
const GONE_TIMEOUT_MS = 2 * 60_000;
const LOOK_MS = 1_000;

/** Creates the RuntimeClass under which the workloads of a gVisor variant run. `node.k8s.io/v1` exists since 1.20. */
export async function createRuntimeClass(kubernetes: Kubernetes): Promise<void> {
  await kubernetes.objects.create({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: RUNSC_HANDLER },
    handler: RUNSC_HANDLER,
  } as never);
}

/** Starts a pod under the RuntimeClass on a node, to look at where its sandbox is. */
export async function createSandboxPod(kubernetes: Kubernetes, node: string): Promise<void> {
  await kubernetes.core.createNamespacedPod({
    namespace: NAMESPACE,
    body: {
      metadata: { name: nameOf(node) },
      spec: {
        nodeName: node,
        runtimeClassName: RUNSC_HANDLER,
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: 'sleeper', image: WORKLOADS_IMAGE, imagePullPolicy: 'Never', command: ['/bin/sleeper'] },
        ],
      },
    },
  });
}

/** Waits until the pod runs. */
export async function waitForSandboxPod(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  await host.waitFor(() => lookAtPod(kubernetes, node), {
    name: `a pod to run under ${RUNSC_HANDLER} on ${node}`,
    timeoutMs: START_TIMEOUT_MS,
    intervalMs: LOOK_MS,
    tryNext: '`journalctl -u containerd` in the guest, and /var/log/runsc',
  });
}

/** Whether the pod runs, and if not, why. */
export async function lookAtPod(kubernetes: Kubernetes, node: string): Promise<Look<true>> {
  try {
    const pod = await kubernetes.core.readNamespacedPod({ namespace: NAMESPACE, name: nameOf(node) });
    const status = pod.status?.containerStatuses?.[0];
    if (status?.state?.running !== undefined) return { done: true, value: true };
    const why = status?.state?.waiting ?? status?.state?.terminated;
    return {
      done: false,
      seen: `${pod.status?.phase ?? 'unknown'} ${why?.reason ?? ''} ${why?.message ?? ''}`,
    };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Removes the pod and waits until it is gone. */
export async function removeSandboxPod(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  await host.waitFor(
    async (): Promise<Look<true>> => {
      try {
        await kubernetes.core.deleteNamespacedPod({
          namespace: NAMESPACE,
          name: nameOf(node),
          gracePeriodSeconds: 0,
        });
        return { done: false, seen: 'still there' };
      } catch (error) {
        if (apiErrorStatus(error) === 404) return { done: true, value: true };
        return { done: false, seen: apiErrorText(error) };
      }
    },
    { name: `the sandbox pod of ${node} to be gone`, timeoutMs: GONE_TIMEOUT_MS, intervalMs: LOOK_MS },
  );
}

function nameOf(node: string): string {
  return `whodunit-sandbox-probe-${node}`;
}
