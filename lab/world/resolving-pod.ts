import { apiErrorStatus, apiErrorText, type Kubernetes } from '../drivers/kubernetes.ts';
import type { Host, Look } from '../model/host.ts';

const POD_TIMEOUT_MS = 6 * 60_000;
const GONE_TIMEOUT_MS = 2 * 60_000;
const LOOK_MS = 1_000;
const NAMESPACE = 'default';

/**
 * Runs a pod on a node that resolves the API's service name, and removes it. While a cluster starts, its API refuses
 * (no service account yet) or does not answer at all for a while; until the time is up that only means "not yet".
 *
 * @throws ProbeTimeoutError with the last thing seen.
 */
export async function resolveFromPod(
  host: Host,
  kubernetes: Kubernetes,
  node: string,
  log: string,
): Promise<void> {
  const name = `whodunit-dns-probe-${node}`;
  const wait = (what: string, timeoutMs: number, look: () => Promise<Look<true>>): Promise<true> =>
    host.waitFor(() => toleratingSilence(look), { name: what, timeoutMs, intervalMs: LOOK_MS, log });
  await wait(`the API to take a pod for ${node}`, POD_TIMEOUT_MS, () => create(kubernetes, name, node));
  await wait(`a pod on ${node} to resolve kubernetes.default`, POD_TIMEOUT_MS, () =>
    lookForAddress(kubernetes, name),
  );
  await wait(`the resolving pod of ${node} to be gone`, GONE_TIMEOUT_MS, () => remove(kubernetes, name));
}

/** An API that does not answer, or answers with an error, is looked at again. */
async function toleratingSilence(look: () => Promise<Look<true>>): Promise<Look<true>> {
  try {
    return await look();
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

async function create(kubernetes: Kubernetes, name: string, node: string): Promise<Look<true>> {
  try {
    await kubernetes.core.createNamespacedPod({ namespace: NAMESPACE, body: renderPod(name, node) });
  } catch (error) {
    // An earlier try got through although its answer did not come back.
    if (apiErrorStatus(error) !== 409) throw error;
  }
  return { done: true, value: true };
}

function renderPod(name: string, node: string) {
  const command = ['/bin/resolve', '--timeout', '2s', '--wait', '5m', 'kubernetes.default.svc.cluster.local'];
  const image = 'whodunit.local/workloads:1';
  return {
    metadata: { name },
    spec: {
      // Past the scheduler: this node is the one to be tried.
      nodeName: node,
      restartPolicy: 'OnFailure',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'resolve', image, imagePullPolicy: 'Never', command }],
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
