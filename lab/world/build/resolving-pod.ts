import { apiErrorStatus, apiErrorText, type Kubernetes } from '../../drivers/kubernetes.ts';
import type { Host, Look } from '../../model/host.ts';
import { WORKLOADS_IMAGE } from '../../../provision/image/container-images.ts';

const POD_TIMEOUT_MS = 6 * 60_000;
const GONE_TIMEOUT_MS = 2 * 60_000;
const LOOK_MS = 1_000;
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
  await wait(host, log, `the API to take a pod for ${node}`, POD_TIMEOUT_MS, () => create(kubernetes, node));
}

/** Waits until the pod of a node has resolved the name. */
export async function awaitAddress(
  host: Host,
  kubernetes: Kubernetes,
  node: string,
  log: string,
): Promise<void> {
  await wait(host, log, `a pod on ${node} to resolve kubernetes.default`, POD_TIMEOUT_MS, () =>
    lookForAddress(kubernetes, nameOf(node)),
  );
}

/** Removes the pods of some nodes, and waits until they are gone. */
export async function removeResolvingPods(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
): Promise<void> {
  await Promise.all(
    nodes.map((node) =>
      wait(host, undefined, `the resolving pod of ${node} to be gone`, GONE_TIMEOUT_MS, () =>
        remove(kubernetes, nameOf(node)),
      ),
    ),
  );
}

function nameOf(node: string): string {
  return `whodunit-dns-probe-${node}`;
}

function wait(
  host: Host,
  log: string | undefined,
  name: string,
  timeoutMs: number,
  look: () => Promise<Look<true>>,
): Promise<true> {
  const options = { name, timeoutMs, intervalMs: LOOK_MS, ...(log === undefined ? {} : { log }) };
  return host.waitFor(() => toleratingSilence(look), options);
}

/** An API that does not answer, or answers with an error, is looked at again. */
async function toleratingSilence(look: () => Promise<Look<true>>): Promise<Look<true>> {
  try {
    return await look();
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

async function create(kubernetes: Kubernetes, node: string): Promise<Look<true>> {
  try {
    await kubernetes.core.createNamespacedPod({ namespace: NAMESPACE, body: renderPod(node) });
  } catch (error) {
    // An earlier try got through although its answer did not come back.
    if (apiErrorStatus(error) !== 409) throw error;
  }
  return { done: true, value: true };
}

function renderPod(node: string) {
  const command = ['/bin/resolve', '--timeout', '2s', '--wait', '5m', 'kubernetes.default.svc.cluster.local'];
  return {
    metadata: { name: nameOf(node) },
    spec: {
      // Past the scheduler: this node is the one to be tried.
      nodeName: node,
      restartPolicy: 'OnFailure',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'resolve', image: WORKLOADS_IMAGE, imagePullPolicy: 'Never', command }],
    },
  };
}

/** Its log shows the answer some seconds before the pod's phase does. */
async function lookForAddress(kubernetes: Kubernetes, name: string): Promise<Look<true>> {
  const log = await readLog(kubernetes, name);
  if (/^\d+(\.\d+){3}$/m.test(log)) return { done: true, value: true };
  const pod = await kubernetes.core.readNamespacedPod({ namespace: NAMESPACE, name });
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '';
  const seen = `${pod.status?.phase ?? 'unknown'} ${waiting} ${log.trim()}`.trim();
  return { done: false, seen, impossible: waiting === 'ErrImageNeverPull' };
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

/** Asks for the removal each time: a request that got no answer may not have arrived. */
async function remove(kubernetes: Kubernetes, name: string): Promise<Look<true>> {
  try {
    await kubernetes.core.deleteNamespacedPod({ namespace: NAMESPACE, name, gracePeriodSeconds: 0 });
    return { done: false, seen: 'still there' };
  } catch (error) {
    if (apiErrorStatus(error) !== 404) throw error;
    return { done: true, value: true };
  }
}
