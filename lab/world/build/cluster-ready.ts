import { apiErrorText, type Kubernetes } from '../../drivers/kubernetes.ts';
import type { Guest, Host, Look } from '../../model/host.ts';
import { clusterProbes } from '../../../provision/probes/node-probes.ts';
import { lookAtProbe, type Probe } from '../../../provision/probes/probe.ts';
import { statePaths } from '../../model/paths.ts';
import { POD_SUBNET } from '../../../provision/kubeadm/config.ts';
import { lookAtNode } from '../restore/health-gate.ts';
import type { BuildStep, ClusterWorld } from './build-step.ts';
import { awaitAddress, createResolvingPod } from './resolving-pod.ts';

const READY_TIMEOUT_MS = 6 * 60_000;
/** An emulated guest, busy with starting, pays for each look. */
const LOOK_MS = 1_000;

/** Waits until a probe holds; a probe that is not fatal is noted and passed over. */
export async function waitForProbe(host: Host, guest: Guest, probe: Probe, log?: string): Promise<void> {
  try {
    await host.waitFor(() => lookAtProbe(guest, probe), {
      name: `${guest.name}: ${probe.description}`,
      timeoutMs: probe.timeoutMs,
      intervalMs: 1000,
      tryNext: probe.hint,
      ...(log === undefined ? {} : { log }),
    });
  } catch (error) {
    if (probe.fatal) throw error;
    host.progress.note(`${guest.name}: ${probe.name} does not hold: ${(error as Error).message}`);
  }
}

/**
 * Waits until the cluster really works: nodes Ready, kube-proxy on each and CoreDNS running, and a pod on each node that
 * resolves `kubernetes.default` through them. CoreDNS runs on the first node (`join-workers.ts`), so the answer to a pod
 * of another node has gone from pod to pod across the network between the nodes, and back.
 *
 * One thing is looked at after the other, in the order in which they come about: each look takes an emulated node from
 * what it is to see. The resolving pods start meanwhile and ask until DNS answers. They are left to the caller
 * (`removeResolvingPods`), who has something else to do until they are gone.
 */
export async function waitForCluster(
  host: Host,
  { record, kubernetes, guests }: Pick<ClusterWorld, 'record' | 'kubernetes' | 'guests'>,
): Promise<void> {
  const log = statePaths(host.stateDir).world(record.name).console('node-1');
  const wait = (name: string, look: () => Promise<Look<true>>): Promise<true> =>
    host.waitFor(look, {
      name,
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: LOOK_MS,
      tryNext: 'npm run lab up -- --keep, then look inside with `npm run lab shell`',
      log,
    });
  const names = guests.map(({ name }) => name);
  for (const name of names) await createResolvingPod(host, kubernetes, name, log);
  await wait('kube-proxy and DNS to be ready', () => lookAtSystemPods(kubernetes, guests.length));
  await Promise.all(names.map((name) => awaitAddress(host, kubernetes, name, log)));
  await Promise.all([
    ...names.map((name) => wait(`${name} to become Ready`, () => lookAtNode(kubernetes, name))),
    ...guests.flatMap((guest) =>
      clusterProbes(POD_SUBNET).map((probe) => waitForProbe(host, guest, probe, log)),
    ),
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
async function lookAtSystemPods(kubernetes: Kubernetes, nodes: number): Promise<Look<true>> {
  try {
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
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}
