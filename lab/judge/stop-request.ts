import type { EvidenceRef } from '../model/formats.ts';
import type { How, Killer } from '../model/killers.ts';

/** Somebody's wish that the container, or its whole pod, should end. */
export interface StopRequest {
  readonly killer: Killer;
  readonly how: How | undefined;
  /** The earliest time at which it may have been made; undefined when nothing dates it. */
  readonly at: number | undefined;
  /** Whether the pod as a whole had to go, or this container alone. */
  readonly scope: 'pod' | 'container';
  readonly refs: readonly (EvidenceRef | undefined)[];
}

/** What was asked for, and which of it led to the end. */
export interface StopRequests {
  readonly cause: StopRequest | undefined;
  /** Others from before the end was decided, which may have led to it as well. */
  readonly rivals: readonly StopRequest[];
  /** What was asked for only after it was decided: it explains nothing. */
  readonly later: readonly StopRequest[];
}
