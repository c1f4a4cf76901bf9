import { apiProbe, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import type { Guest, Host, Probe } from '../../model/host/host.ts';
import { clusterProbes } from '../../../provision/probes/node-probes.ts';
import { probeNode, type NodeProbe } from '../../../provision/probes/probe.ts';
import { statePaths } from '../../model/host/paths.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { POD_SUBNET } from '../../../provision/kubeadm/config.ts';
import { controlPlaneIsHealthy, nodeIsReady } from '../cluster-probes.ts';
import type { BuildStep, ClusterWorld } from './build-step.ts';
import { awaitAddress, createResolvingPod } from './resolving-pod.ts';

/** Each look slows down an emulated guest that is busy with starting. */
const LOOK_MS = 1_000;
const TRY = 'npx whodunit up --keep, then look inside with `npx whodunit shell`';

/** Waits until all these probes hold in a node. */
export async function waitForNode(
  host: Host,
  guest: Guest,
  probes: readonly NodeProbe[],
  log: string,
): Promise<void> {
  await Promise.all(
    probes.map((probe) =>
      host.waitFor(probeNode(guest, probe), { timeoutMs: probe.timeoutMs, intervalMs: LOOK_MS, log }),
    ),
  );
}

/**
 * Waits until the cluster really works: nodes Ready, kube-proxy on each, CoreDNS and the control plane running, and a pod on
 * each node that resolves `kubernetes.default` through them. CoreDNS runs on the first node (`join-workers.ts`), so the answer
 * to a pod of another node has gone from pod to pod across the network between the nodes, and back.
 *
 * The conditions are awaited one after the other, in the order in which they come true, because each look slows down
 * an emulated node. Meanwhile the resolving pods start and ask until DNS answers. The caller removes them
 * (`removeResolvingPods`), and does something else until they are gone.
 */
export async function waitForCluster(
  host: Host,
  { record, kubernetes, guests }: Pick<ClusterWorld, 'record' | 'kubernetes' | 'guests'>,
): Promise<void> {
  const log = statePaths(host.stateDir).world(record.name).console('node-1');
  const wait = (probe: Probe): Promise<true> =>
    host.waitFor(
      { tryNext: TRY, ...probe },
      { timeoutMs: TIME_LIMITS.cluster.ready.ms, intervalMs: LOOK_MS, log },
    );
  const names = guests.map(({ name }) => name);
  for (const name of names) await createResolvingPod(host, kubernetes, name, log);
  await wait(systemPodsAreReady(kubernetes, guests.length));
  await Promise.all(names.map((name) => awaitAddress(host, kubernetes, name, log)));
  await Promise.all([
    wait(controlPlaneIsHealthy(kubernetes)),
    ...names.map((name) => wait(nodeIsReady(kubernetes, name))),
    ...guests.map((guest) => waitForNode(host, guest, clusterProbes(POD_SUBNET), log)),
  ]);
}

/** Waits until the cluster works. */
export const awaitCluster: BuildStep<ClusterWorld> = {
  name: 'cluster',
  title: 'node Ready, kube-proxy and DNS',
  run: async ({ host }, world) => {
    await waitForCluster(host, world);
    return world;
  },
};

/** Whether kube-proxy runs on each of so many nodes, and CoreDNS somewhere. */
function systemPodsAreReady(kubernetes: Kubernetes, nodes: number): Probe {
  return apiProbe('kube-proxy and DNS to be ready', async () => {
    const { items } = await kubernetes.core.listNamespacedPod({
      namespace: 'kube-system',
      labelSelector: 'k8s-app in (kube-proxy, kube-dns)',
    });
    const states = items.map((pod) => {
      const waiting = pod.status?.containerStatuses?.find((c) => c.state?.waiting !== undefined)?.state
        ?.waiting;
      return {
        app: pod.metadata?.labels?.['k8s-app'],
        name: pod.metadata?.name ?? '',
        ready: pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
        why: waiting?.reason ?? pod.status?.phase ?? 'unknown',
      };
    });
    const missing = [
      { app: 'kube-proxy', count: nodes },
      { app: 'kube-dns', count: 1 },
    ].filter(({ app, count }) => states.filter((state) => state.app === app).length < count);
    if (missing.length === 0 && states.every((state) => state.ready)) return { done: true, value: true };
    const seen = [
      ...states.map(({ name, ready, why }) => `${name} ${ready ? 'ready' : why}`),
      ...missing.map(({ app, count }) => `fewer than ${count} of ${app}`),
    ];
    const noImage = states.some(({ why }) => why === 'ErrImageNeverPull' || why === 'ErrImagePull');
    return { done: false, seen: seen.join(', '), ...(noImage ? { impossible: true } : {}) };
  });
}
