import { apiErrorText, type CertificateWindow, type Kubernetes } from '../../drivers/kubernetes.ts';
import { randomSeed } from '../../drivers/random.ts';
import { HostError } from '../../model/errors.ts';
import type { Guest, Host, Look } from '../../model/host.ts';
import { WITNESS } from '../witness.ts';

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

/** What the gate compares a restored world with. */
export interface BeforeRestore {
  /** When the restore began, by the clock of the host. */
  readonly restoredAtMs: number;
  /** Restarts in kube-system when the snapshot was taken. */
  readonly restarts: number;
  /** The last renewal of each node's lease in the snapshot, by its own clock; a node may be unknown. */
  readonly renewals: ReadonlyMap<string, string>;
}

/**
 * The part of the gate that asks the API: certificates are inside their window, the API answers, and every node has
 * renewed its lease after the restore and is Ready.
 *
 * @throws ProbeTimeoutError, or HostError LAB_UNHEALTHY, naming what was not healthy, as the other parts do.
 */
export async function awaitNodes(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
  before: BeforeRestore,
): Promise<void> {
  requireValid(kubernetes.certificates(), host.clock.now());
  await waitAtGate(host, 'the API to answer after the restore', () => lookAtApi(kubernetes));
  requireValid(kubernetes.certificates(), host.clock.now());
  await Promise.all(
    nodes.map(async (node) => {
      await waitAtGate(host, `${node} to renew its lease after the restore`, () =>
        lookAtLease(kubernetes, node, before),
      );
      await waitAtGate(host, `${node} to be Ready`, () => lookAtNode(kubernetes, node));
    }),
  );
}

/** The part of the gate that asks a node itself. */
export async function awaitKubelet(host: Host, guest: Guest): Promise<void> {
  await waitAtGate(host, `the kubelet of ${guest.name} to answer`, () => lookAtKubelet(guest));
}

/** The last part of the gate: no container of kube-system was restarted by the restore. */
export async function requireNoRestart(kubernetes: Kubernetes, before: BeforeRestore): Promise<void> {
  const more = (await countRestarts(kubernetes)) - before.restarts;
  if (more > 0) {
    throw new HostError('LAB_UNHEALTHY', `the restore restarted ${more} containers of the control plane`);
  }
}

function waitAtGate(host: Host, name: string, look: () => Promise<Look<true>>): Promise<true> {
  return host.waitFor(look, { name, timeoutMs: GATE_TIMEOUT_MS, intervalMs: 200 });
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

/**
 * Waits until a node renews its lease. In a world that is saved right then it is renewed next a whole interval after each
 * restore, while its shell is being opened: nobody has to wait for it.
 */
export async function awaitRenewal(host: Host, kubernetes: Kubernetes, node: string): Promise<void> {
  let before: string | undefined;
  await awaitLease(host, `${node} to renew its lease`, async () => {
    const renewedAt = await readRenewal(kubernetes, node);
    before ??= renewedAt;
    return renewedAt === before ? undefined : renewedAt;
  });
}

/** When each node renewed its lease last, in their order; see `readRenewal`. */
export function readRenewals(
  host: Host,
  kubernetes: Kubernetes,
  nodes: readonly string[],
): Promise<string[]> {
  return Promise.all(
    nodes.map((node) =>
      awaitLease(host, `the API to show the lease of ${node}`, () => readRenewal(kubernetes, node)),
    ),
  );
}

/** Looks again while the reading fails or gives nothing. */
function awaitLease(host: Host, name: string, read: () => Promise<string | undefined>): Promise<string> {
  const look = async (): Promise<Look<string>> => {
    try {
      const value = await read();
      return value === undefined ? { done: false, seen: 'no other than before' } : { done: true, value };
    } catch (error) {
      return { done: false, seen: apiErrorText(error) };
    }
  };
  return host.waitFor(look, { name, timeoutMs: GATE_TIMEOUT_MS, intervalMs: 100 });
}

/** When a node renewed its lease last, by its own clock, as an ISO time; `never` when it has not. */
async function readRenewal(kubernetes: Kubernetes, node: string): Promise<string> {
  const { spec } = await kubernetes.coordination.readNamespacedLease({
    name: node,
    namespace: 'kube-node-lease',
  });
  return spec?.renewTime === undefined ? 'never' : new Date(spec.renewTime).toISOString();
}

async function lookAtLease(
  kubernetes: Kubernetes,
  node: string,
  { renewals, restoredAtMs }: BeforeRestore,
): Promise<Look<true>> {
  try {
    const renewedAt = await readRenewal(kubernetes, node);
    const saved = renewals.get(node);
    const alive = saved === undefined ? Date.parse(renewedAt) >= restoredAtMs : renewedAt !== saved;
    if (alive) return { done: true, value: true };
    return { done: false, seen: `last renewed at ${renewedAt}, before the restore` };
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
