import { apiProbe, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Host, Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { WORKLOADS_IMAGE } from '../../../provision/image/container-images.ts';
import { podIsGone } from '../cluster-probes.ts';

const NAMESPACE = 'default';
const START_WAIT = { timeoutMs: TIME_LIMITS.cluster.sandboxPod.ms, intervalMs: 1_000 };
const GONE_WAIT = { timeoutMs: TIME_LIMITS.cluster.podIsGone.ms, intervalMs: 1_000 };

/** Creates the RuntimeClass of a handler, under which workloads run. `node.k8s.io/v1` exists since 1.20. */
export async function createRuntimeClass(kubernetes: Kubernetes, handler: string): Promise<void> {
  await kubernetes.objects.create({
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: handler },
    handler,
  } as never);
}

/** Starts a pod under a RuntimeClass on a node, to look at where its sandbox is. Returns when, by the clock of the API server. */
export async function createSandboxPod(
  kubernetes: Kubernetes,
  node: string,
  runtimeClassName: string,
): Promise<Date | undefined> {
  const pod = await kubernetes.core.createNamespacedPod({
    namespace: NAMESPACE,
    body: {
      metadata: { name: nameOf(node) },
      spec: {
        nodeName: node,
        runtimeClassName,
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: 'sleeper', image: WORKLOADS_IMAGE, imagePullPolicy: 'Never', command: ['/bin/sleeper'] },
        ],
      },
    },
  });
  return pod.metadata?.creationTimestamp;
}

/** Waits until the pod runs. */
export async function waitForSandboxPod(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  await host.waitFor(sandboxPodRuns(kubernetes, node), START_WAIT);
}

/** Whether the pod runs, and if not, why. */
export function sandboxPodRuns(kubernetes: Kubernetes, node: string): Probe {
  const look: Probe['look'] = async () => {
    const pod = await kubernetes.core.readNamespacedPod({ namespace: NAMESPACE, name: nameOf(node) });
    const status = pod.status?.containerStatuses?.[0];
    if (status?.state?.running !== undefined) return { done: true, value: true };
    const why = status?.state?.waiting ?? status?.state?.terminated;
    return {
      done: false,
      seen: `${pod.status?.phase ?? 'unknown'} ${why?.reason ?? ''} ${why?.message ?? ''}`,
    };
  };
  return apiProbe(
    `a pod to run under its RuntimeClass on ${node}`,
    look,
    '`journalctl -u containerd` in the guest, and /var/log/runsc',
  );
}

/** Removes the pod and waits until it is gone. */
export async function removeSandboxPod(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  const gone = podIsGone(kubernetes, `the sandbox pod of ${node} to be gone`, {
    name: nameOf(node),
    namespace: NAMESPACE,
  });
  await host.waitFor(gone, GONE_WAIT);
}

function nameOf(node: string): string {
  return `whodunit-sandbox-probe-${node}`;
}
