import { apiErrorStatus, apiProbe, type Kubernetes } from '../drivers/kubernetes/kubernetes.ts';
import type { Look, Probe } from '../model/host/host.ts';

/** Probes of a cluster that more than one step waits for. */

/** Whether `/readyz` says ok. */
export function apiAnswers(kubernetes: Kubernetes, when: string): Probe {
  return apiProbe(`the API to answer ${when}`, async () => {
    const { status, text } = await kubernetes.get('/readyz');
    if (status === 200) return { done: true, value: true };
    return { done: false, seen: `HTTP ${status}: ${text.slice(0, 200)}` };
  });
}

/**
 * Whether a node reports Ready.
 *
 * @param bootId of the boot in which its kubelet must have said so; default: any.
 */
export function nodeIsReady(kubernetes: Kubernetes, node: string, bootId?: string): Probe {
  return apiProbe(`${node} to become Ready${bootId === undefined ? '' : ' after its reboot'}`, async () => {
    const { status } = await kubernetes.core.readNode({ name: node });
    if (bootId !== undefined && status?.nodeInfo?.bootID !== bootId)
      return { done: false, seen: 'its status is from before the reboot' };
    return lookForReady(status?.conditions);
  });
}

/** Whether a node reports Ready and no pressure: one that is saved under pressure takes no pods, and evicts them. */
export function nodeIsHealthy(kubernetes: Kubernetes, node: string): Probe {
  return apiProbe(`${node} to be Ready and under no pressure`, async () =>
    lookForHealth((await kubernetes.core.readNode({ name: node })).status?.conditions),
  );
}

/** Looks at the conditions of a node: all but `Ready` speak of trouble. Pure. */
export function lookForHealth(conditions: readonly Condition[] = []): Look<true> {
  const trouble = conditions.find(({ type, status }) => type !== 'Ready' && status === 'True');
  if (trouble === undefined) return lookForReady(conditions);
  return { done: false, seen: `${trouble.type}: ${trouble.message ?? 'no message'}` };
}

/**
 * Whether scheduler, controller manager and etcd answer the API server, which asks them when this list is read. Nobody
 * renews a lease for them in a world, as they have no rivals. The list is deprecated since 1.19 and not replaced:
 * https://github.com/kubernetes/enhancements/issues/553
 */
export function controlPlaneIsHealthy(kubernetes: Kubernetes): Probe {
  return apiProbe('the control plane to be healthy', async () =>
    lookForComponents((await kubernetes.core.listComponentStatus()).items),
  );
}

/** Looks at what the components said to the API server that it asked. Pure. */
export function lookForComponents(components: readonly ComponentAnswer[]): Look<true> {
  const sick = components.filter(
    ({ conditions = [] }) => !conditions.some(({ type, status }) => type === 'Healthy' && status === 'True'),
  );
  if (components.length > 0 && sick.length === 0) return { done: true, value: true };
  const named = sick.map(({ metadata, conditions = [] }) => {
    const said = conditions.map(({ message, error }) => error ?? message ?? '').join(' ');
    return `${metadata?.name ?? 'a component'}: ${said}`;
  });
  return { done: false, seen: named.join('; ') || 'no component is listed' };
}

/** A part of the API's V1ComponentStatus. */
interface ComponentAnswer {
  readonly metadata?: { readonly name?: string };
  readonly conditions?: readonly (Condition & { readonly error?: string })[];
}

/** What a node says of itself; a part of the API's V1NodeCondition. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

function lookForReady(conditions: readonly Condition[] = []): Look<true> {
  const ready = conditions.find((condition) => condition.type === 'Ready');
  if (ready?.status === 'True') return { done: true, value: true };
  return { done: false, seen: `Ready=${ready?.status ?? 'unset'}, ${ready?.message ?? 'no message'}` };
}

/**
 * Whether a pod is gone. Each look asks for its removal again, without grace, as a request without an answer may not
 * have arrived.
 */
export function podIsGone(
  kubernetes: Kubernetes,
  title: string,
  pod: { readonly name: string; readonly namespace: string },
): Probe {
  return apiProbe(title, async () => {
    try {
      await kubernetes.core.deleteNamespacedPod({ ...pod, gracePeriodSeconds: 0 });
      return { done: false, seen: 'still there' };
    } catch (error) {
      if (apiErrorStatus(error) !== 404) throw error;
      return { done: true, value: true };
    }
  });
}

/**
 * Whether the pods of kube-proxy were removed, without grace and whatever their nodes say; others are made in their place.
 * The API is asked for it until it has said yes.
 */
export function proxiesAreRemoved(kubernetes: Kubernetes): Probe {
  return apiProbe('the API to remove the pods of kube-proxy', async () => {
    await kubernetes.core.deleteCollectionNamespacedPod({
      namespace: 'kube-system',
      labelSelector: 'k8s-app=kube-proxy',
      gracePeriodSeconds: 0,
    });
    return { done: true, value: true };
  });
}
