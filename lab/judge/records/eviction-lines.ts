import type { KubeEvent, KubeletSaid } from '../../model/evidence/observation.ts';
import type { How } from '../../model/killers/killers.ts';

/** The kubelet's log of evictions (pkg/kubelet/eviction/eviction_manager.go): structured since 1.21, in sentences before. */

/** That a pod is evicted: its containers have ended by then. */
const EVICTED = /[Ee]viction manager: pod (?:\S+ )?(?:is )?evicted successfully/;
/** Which pods it may evict now, the first of them first. */
const RANKED = /[Ee]viction manager: pods ranked for eviction/;

/** Whether a line says that the kubelet has evicted a pod, which it names. */
export function isEvicted({ about, message, pod }: KubeletSaid): boolean {
  return about === 'eviction' && pod !== undefined && EVICTED.test(message);
}

/** Whether a line ranks pods for eviction, and the pod of another line is among them. */
export function isRankedFor({ message }: KubeletSaid, { pod = '' }: KubeletSaid): boolean {
  const [namespace = '', name = ''] = pod.split('/');
  return RANKED.test(message) && (message.includes(`"${pod}"`) || message.includes(` ${name}_${namespace}(`));
}

/** What the eviction manager says of a pod: that its node is short of something, or that it exceeds a limit of its own. */
const EVICTING = /\blow on (?:compute )?resource|\bexceed(?:s|ed) (?:its|the)\b/i;

/**
 * Whether a message is one of the eviction manager's (pkg/kubelet/eviction/helpers.go). The same reason `Evicted` stands over a pod
 * that the kubelet did not let in ("The node had condition: …"), and others write it, too: Karpenter, deschedulers.
 * Which limit it is about is `reasonOfEviction`, which does not know all words of releases before 1.20.
 */
export function isEvictionMessage(message: string): boolean {
  return EVICTING.test(message);
}

/** Whether an event says that the kubelet evicts a pod that it had let in: it writes it right before it kills the pod. */
export function isEvictionEvent({ reason, message }: KubeEvent): boolean {
  return reason === 'Evicted' && isEvictionMessage(message);
}

/** Limits of a pod's own, by the message of its eviction (pkg/kubelet/eviction/helpers.go, since 1.20). */
const OWN_LIMITS: readonly (readonly [How, RegExp])[] = [
  ['container-storage-limit', /exceeded its local ephemeral storage limit/],
  ['pod-storage-limit', /ephemeral local storage usage exceeds the total limit/],
  ['empty-dir-limit', /Usage of EmptyDir volume .* exceeds the limit/],
];

/** The first resource that the message of an eviction or a line of the kubelet's log names as short. */
const SHORT_RESOURCE = /(?:low on resource: \[?|reclaim"? (?:resourceName=")?)([\w-]+)/;
/** What a node may be short of, by the names of resources; up to 1.20 the log has those of signals. */
const RESOURCES: ReadonlyMap<string, How> = new Map([
  ['memory', 'memory'],
  ['ephemeral-storage', 'ephemeral-storage'],
  ['nodefs', 'ephemeral-storage'],
  ['imagefs', 'ephemeral-storage'],
  ['inodes', 'inodes'],
  ['nodefsInodes', 'inodes'],
  ['imagefsInodes', 'inodes'],
  ['pids', 'pids'],
]);

/** Why the kubelet evicts a pod, by the message of its status or event, or by the line of its log that names the resource. */
export function reasonOfEviction(message: string): How | undefined {
  const own = OWN_LIMITS.find(([, text]) => text.test(message))?.[0];
  return own ?? RESOURCES.get(SHORT_RESOURCE.exec(message)?.[1] ?? '');
}
