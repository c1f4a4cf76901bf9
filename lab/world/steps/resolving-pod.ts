import { apiErrorStatus, apiProbe, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Host, Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { WORKLOADS_IMAGE } from '../../../provision/image/container-images.ts';
import { podIsGone } from '../cluster-probes.ts';

const POD_WAIT = { timeoutMs: TIME_LIMITS.cluster.resolvingPod.ms, intervalMs: 1_000 };
const GONE_WAIT = { timeoutMs: TIME_LIMITS.cluster.podIsGone.ms, intervalMs: 1_000 };
const NAMESPACE = 'default';

/**
 * Starts a pod on a node that resolves the API's service name. While a cluster starts, its API refuses (no service
 * account yet) or does not answer at all for a while; until the time is up that only means "not yet".
 *
 * @throws ProbeTimeoutError with the last thing seen, as the next two do.
 */
export async function createResolvingPod(
  host: Host,
  kubernetes: Kubernetes,
  node: string,
  log: string,
): Promise<void> {
  await host.waitFor(podIsTaken(kubernetes, node), { ...POD_WAIT, log });
}

/** Waits until the pod of a node has resolved the name. */
export async function awaitAddress(
  host: Host,
  kubernetes: Kubernetes,
  node: string,
  log: string,
): Promise<void> {
  await host.waitFor(nameIsResolved(kubernetes, node), { ...POD_WAIT, log });
}

/** Removes the pods of some nodes, and waits until they are gone. */
export async function removeResolvingPods(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
): Promise<void> {
  const gone = (node: string): Probe =>
    podIsGone(kubernetes, `the resolving pod of ${node} to be gone`, {
      name: nameOf(node),
      namespace: NAMESPACE,
    });
  await Promise.all(nodes.map((node) => host.waitFor(gone(node), GONE_WAIT)));
}

function nameOf(node: string): string {
  return `whodunit-dns-probe-${node}`;
}

function podIsTaken(kubernetes: Kubernetes, node: string): Probe {
  return apiProbe(`the API to take a pod for ${node}`, async () => {
    try {
      await kubernetes.core.createNamespacedPod({ namespace: NAMESPACE, body: renderPod(node) });
    } catch (error) {
      // An earlier request arrived although its answer was lost.
      if (apiErrorStatus(error) !== 409) throw error;
    }
    return { done: true, value: true };
  });
}

function renderPod(node: string) {
  const command = ['/bin/resolve', '--timeout', '2s', '--wait', '5m', 'kubernetes.default.svc.cluster.local'];
  return {
    metadata: { name: nameOf(node) },
    spec: {
      // Without the scheduler: the pod must run on this node.
      nodeName: node,
      restartPolicy: 'OnFailure',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'resolve', image: WORKLOADS_IMAGE, imagePullPolicy: 'Never', command }],
    },
  };
}

/** Its log shows the answer some seconds before the pod's phase does. */
function nameIsResolved(kubernetes: Kubernetes, node: string): Probe {
  const name = nameOf(node);
  return apiProbe(`a pod on ${node} to resolve kubernetes.default`, async () => {
    const log = await readLog(kubernetes, name);
    if (/^\d+(\.\d+){3}$/m.test(log)) return { done: true, value: true };
    const pod = await kubernetes.core.readNamespacedPod({ namespace: NAMESPACE, name });
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '';
    const seen = `${pod.status?.phase ?? 'unknown'} ${waiting} ${log.trim()}`.trim();
    return { done: false, seen, impossible: waiting === 'ErrImageNeverPull' };
  });
}

/**
 * What the pod has printed; empty before its container has started, which the API answers with 400. Read raw: the
 * client cannot parse a log that is still empty, as the API sends it without a content type.
 */
async function readLog(kubernetes: Kubernetes, pod: string): Promise<string> {
  const { status, text } = await kubernetes.get(`/api/v1/namespaces/${NAMESPACE}/pods/${pod}/log`);
  if (status === 200) return text;
  return status === 400 ? '' : `HTTP ${status}: ${text}`;
}
