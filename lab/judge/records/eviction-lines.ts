import type { KubeEvent, KubeletSaid } from '../../model/evidence/observation.ts';

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

/** Whether an event says that the kubelet evicts a pod that it had let in: it writes it right before it kills the pod. */
export function isEvictionEvent({ reason, message }: KubeEvent): boolean {
  return reason === 'Evicted' && !/^(?:Pod )?The node had condition/.test(message);
}
