import { apiErrorText, type CertificateWindow, type Kubernetes } from '../drivers/kubernetes.ts';
import { randomSeed } from '../drivers/random.ts';
import { HostError } from '../model/errors.ts';
import type { Guest, Host, Look } from '../model/host.ts';
import { WITNESS } from './witness.ts';

const GATE_TIMEOUT_MS = 120_000;

/** A certificate that is about to end would end within a cell. */
const CERTIFICATE_MARGIN_MS = 60 * 60_000;
const SEED_BYTES = 64;
const REFRESH_MS = 60_000;

/**
 * Brings a guest that woke up in its past into the present, in one go: its wall clock is stepped to the host's, as
 * everything that compares with host time (evidence, certificates, Job deadlines) needs it, and its random number
 * generator gets fresh randomness of the host. Without that, two restores of one snapshot would draw the same
 * container ids and pod UIDs. Every program that asks the kernel (getrandom) gets other numbers from then on; only
 * generators that were seeded once at their start repeat, such as the suffixes of pod names.
 *
 * A VM generation id (QEMU `vmgenid`) would not do: the kernel reseeds only when the id changes, a restore inside a
 * running QEMU keeps it, and kernels before 5.18 do not know it (drivers/virt/vmgenid.c).
 */
export async function refreshGuest(host: Host, guest: Guest): Promise<void> {
  await guest.must(
    `date -u -s "@${(host.clock.now() / 1000).toFixed(3)}" > /dev/null\n` +
      `base64 -d <<< '${randomSeed(SEED_BYTES)}' | ${WITNESS} reseed`,
    { timeoutMs: REFRESH_MS },
  );
}

/** The first part of the gate: certificates are inside their window, and the API answers. */
export async function awaitApi(host: Host, kubernetes: Kubernetes): Promise<void> {
  requireValid(kubernetes.certificates(), host.clock.now());
  await host.waitFor(() => lookAtApi(kubernetes), {
    name: 'the API to answer after the restore',
    timeoutMs: GATE_TIMEOUT_MS,
    intervalMs: 200,
  });
  requireValid(kubernetes.certificates(), host.clock.now());
}

/**
 * The gate between a restored snapshot, whose API answers (`awaitApi`), and a cell: each kubelet answers, has renewed
 * its node's lease and posted Ready after the restore, and no container of kube-system was restarted by it.
 *
 * @throws ProbeTimeoutError, or HostError LAB_UNHEALTHY, naming what was not healthy.
 */
export async function passHealthGate(
  host: Host,
  kubernetes: Kubernetes,
  guests: readonly Guest[],
  before: { readonly restoredAtMs: number; readonly restarts: number },
): Promise<void> {
  await Promise.all(guests.map((guest) => awaitNode(host, kubernetes, guest, before.restoredAtMs)));
  const restarts = await countRestarts(kubernetes);
  if (restarts > before.restarts) {
    const more = restarts - before.restarts;
    throw new HostError('LAB_UNHEALTHY', `the restore restarted ${more} containers of the control plane`);
  }
}

async function awaitNode(
  host: Host,
  kubernetes: Kubernetes,
  guest: Guest,
  restoredAtMs: number,
): Promise<void> {
  const wait = (name: string, look: () => Promise<Look<true>>): Promise<true> =>
    host.waitFor(look, { name, timeoutMs: GATE_TIMEOUT_MS, intervalMs: 250 });
  const kubelet = wait(`the kubelet of ${guest.name} to answer`, () => lookAtKubelet(guest));
  const node = (async () => {
    await wait(`${guest.name} to renew its lease after the restore`, () =>
      lookAtLease(kubernetes, guest.name, restoredAtMs),
    );
    await wait(`${guest.name} to be Ready`, () => lookAtNode(kubernetes, guest.name));
  })();
  await Promise.all([kubelet, node]);
}

function requireValid(certificates: readonly CertificateWindow[], nowMs: number): void {
  const problems = findInvalidCertificates(certificates, nowMs);
  if (problems.length > 0) throw new HostError('LAB_UNHEALTHY', problems.join('; '));
}

/** Which certificates are not valid from now on for an hour, in words; empty when all are. Pure. */
export function findInvalidCertificates(certificates: readonly CertificateWindow[], nowMs: number): string[] {
  return certificates.flatMap(({ name, fromMs, untilMs }) => {
    if (nowMs < fromMs) return [`${name} is not valid before ${new Date(fromMs).toISOString()}`];
    if (nowMs + CERTIFICATE_MARGIN_MS > untilMs)
      return [`${name} ends at ${new Date(untilMs).toISOString()}`];
    return [];
  });
}

/** Asks the kubelet's health port from inside the node, without the API in between. */
async function lookAtKubelet(guest: Guest): Promise<Look<true>> {
  const answer = await guest.script(
    'exec 3<>/dev/tcp/127.0.0.1/10248; printf "GET /healthz HTTP/1.0\\r\\n\\r\\n" >&3; tail -1 <&3',
    { timeoutMs: REFRESH_MS },
  );
  if (answer.status === 0 && answer.stdout.trim() === 'ok') return { done: true, value: true };
  return { done: false, seen: (answer.stderr || answer.stdout).trim() || `exit ${answer.status}` };
}

/** Whether `/readyz` says ok. */
export async function lookAtApi(kubernetes: Kubernetes): Promise<Look<true>> {
  try {
    const answer = await kubernetes.get('/readyz');
    if (answer.status === 200) return { done: true, value: true };
    return { done: false, seen: `HTTP ${answer.status}: ${answer.text.slice(0, 200)}` };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

async function lookAtLease(kubernetes: Kubernetes, node: string, sinceMs: number): Promise<Look<true>> {
  try {
    const lease = await kubernetes.coordination.readNamespacedLease({
      name: node,
      namespace: 'kube-node-lease',
    });
    const renewed = lease.spec?.renewTime;
    const renewedMs = renewed === undefined ? 0 : new Date(renewed).getTime();
    if (renewedMs >= sinceMs) return { done: true, value: true };
    return {
      done: false,
      seen: `last renewed ${((sinceMs - renewedMs) / 1000).toFixed(0)} s before the restore`,
    };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Whether a node reports Ready. */
export async function lookAtNode(kubernetes: Kubernetes, node: string): Promise<Look<true>> {
  try {
    const found = await kubernetes.core.readNode({ name: node });
    const ready = found.status?.conditions?.find((condition) => condition.type === 'Ready');
    if (ready?.status === 'True') return { done: true, value: true };
    return { done: false, seen: `Ready=${ready?.status ?? 'unset'}, ${ready?.message ?? 'no message'}` };
  } catch (error) {
    return { done: false, seen: apiErrorText(error) };
  }
}

/** Restarts of all containers in kube-system. */
export async function countRestarts(kubernetes: Kubernetes): Promise<number> {
  const pods = await kubernetes.core.listNamespacedPod({ namespace: 'kube-system' });
  return pods.items
    .flatMap((pod) => pod.status?.containerStatuses ?? [])
    .reduce((sum, container) => sum + container.restartCount, 0);
}
