import type { PodSeen } from '../../model/evidence/observation.ts';
import { reasonOfEviction } from './eviction-lines.ts';

/** Reasons that the kubelet writes into the status of a pod which it ends. */
export type EndedFor = 'Evicted' | 'Preempting';

/** pkg/kubelet/preemption/preemption.go, since 1.26; an eviction has the message of the status here as well. */
const PREEMPTED = /^Pod was preempted by Kubelet/;

/** Whether the status says that the kubelet ended the pod for a reason: as its reason, or as the message of DisruptionTarget. */
export function isEndedFor({ reason, disruption }: PodSeen, wanted: EndedFor): boolean {
  if (reason === wanted) return true;
  if (disruption?.reason !== 'TerminationByKubelet') return false;
  return wanted === 'Preempting'
    ? PREEMPTED.test(disruption.message)
    : reasonOfEviction(disruption.message) !== undefined;
}

/**
 * Whether the status may have lost the reason: when all containers then end well, the phase is not `Failed` any more, and the reason
 * goes with it (generateAPIPodStatus of pkg/kubelet/kubelet_pods.go).
 */
export function mayHaveLostReason({ phase }: PodSeen): boolean {
  return phase === 'Succeeded';
}
