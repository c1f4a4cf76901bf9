import type { EvidenceRef } from '../../../model/saved/formats.ts';
import type { How, Killer } from '../../../model/killers/killers.ts';

/** A request that the container, or its whole pod, should end. */
export interface StopRequest {
  readonly killer: Killer;
  readonly how: How | undefined;
  /** The earliest time at which it may have been made; undefined when no record dates it. */
  readonly at: number | undefined;
  /** Whether the whole pod had to go, or only this container. */
  readonly scope: 'pod' | 'container';
  readonly refs: readonly (EvidenceRef | undefined)[];
}

/** All requests, by whether they can have led to the end. */
export interface StopRequests {
  readonly cause: StopRequest | undefined;
  /** Others from before the end was decided. They may have led to it as well. */
  readonly rivals: readonly StopRequest[];
  /** Others from before it that do not fit the kubelet's words for the stop: for the pod, where it meant the container. */
  readonly unfit: readonly StopRequest[];
  /** Requests from after the end was decided. They explain nothing. */
  readonly later: readonly StopRequest[];
}

/** Whether somebody made it at the API, of which the kubelet hears. */
export function isByApi({ killer, how }: Pick<StopRequest, 'killer' | 'how'>): boolean {
  return killer === 'api-deletion' || (killer === 'preemption' && how !== 'critical-pod');
}
