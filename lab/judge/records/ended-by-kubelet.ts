import type { PodSeen } from '../../model/evidence/observation.ts';
import { isEvictionMessage, reasonOfEviction } from './eviction-lines.ts';

/** Reasons that the kubelet writes into the status of a pod which it ends. */
export type EndedFor = 'Evicted' | 'Preempting' | 'DeadlineExceeded';

/** pkg/kubelet/preemption/preemption.go, since 1.26. */
const PREEMPTED = /^Pod was preempted by Kubelet/;

/**
 * Reasons for which the condition DisruptionTarget stands as well, by its message. A deadline has no condition: the kubelet writes it into
 * each status anew.
 */
const DISRUPTED: Readonly<Partial<Record<EndedFor, (message: string) => boolean>>> = {
  // The message of the status.
  Evicted: (message) => reasonOfEviction(message) !== undefined,
  Preempting: (message) => PREEMPTED.test(message),
};

/** Whether the status says that the kubelet ended the pod for a reason: as its reason, or in the condition DisruptionTarget. */
export function isEndedFor({ reason, message, disruption }: PodSeen, wanted: EndedFor): boolean {
  // A table has no message.
  if (reason === wanted) return wanted !== 'Evicted' || message === undefined || isEvictionMessage(message);
  return disruption?.reason === 'TerminationByKubelet' && DISRUPTED[wanted]?.(disruption.message) === true;
}

/**
 * Whether the status may have lost a reason: when all containers then end well, the phase is not `Failed` any more, and the reason
 * goes with it (generateAPIPodStatus of pkg/kubelet/kubelet_pods.go). That of a deadline is written again.
 */
export function mayHaveLostReason({ phase }: PodSeen, wanted: EndedFor): boolean {
  return phase === 'Succeeded' && DISRUPTED[wanted] !== undefined;
}
