import type { EvidenceRef } from '../../model/saved/formats.ts';

/** One number, when it was measured (milliseconds since the epoch), and the record that has it. */
export interface Point {
  readonly at: number;
  readonly value: number;
  readonly ref: EvidenceRef;
}

/** All that was measured of one quantity in a cell. */
export interface Series {
  /** Oldest first. */
  readonly points: readonly Point[];
  /** Why a part of it up to that time may be missing; undefined when none is. */
  missingUntil(until: number): string | undefined;
}
