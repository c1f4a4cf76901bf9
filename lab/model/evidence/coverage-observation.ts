import type { EvidenceSource } from './evidence-files.ts';
import type { Base } from './observation-base.ts';

/** Evidence that could not be collected or read: leads to `unknown` or `inconclusive`, never to a guess. */
export interface Lost extends Base {
  readonly kind: 'lost';
  readonly source: EvidenceSource;
  /** When the stream goes on after a gap; infinite when it never does. Without it the loss is at one moment. */
  readonly until?: number | undefined;
  /** Numbered records of a stream are missing, so lines of other files, which have no numbers, may be missing as well. */
  readonly isHole?: true;
  readonly why: string;
}

/**
 * From when to when a source was read, and how much it said. What it did not say within that time did not happen,
 * unless a `lost` record says that a part is missing; outside of it, and where it said nothing at all, nothing was
 * seen.
 */
export interface Covered extends Base {
  readonly kind: 'covered';
  readonly source: EvidenceSource;
  /** Milliseconds since the epoch; undefined when its records carry no usable time. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly records: number;
  /** Of a kernel log: whether its records are numbered, so that a missing one is noticed. A text has no numbers. */
  readonly isNumbered?: boolean | undefined;
  /** Of a kernel log: whether it says who wrote each record, so that no program can write in the kernel's name. */
  readonly hasWriter?: boolean | undefined;
  /**
   * Of a kernel log: when its node booted, as all of its kernel logs say; oldest first, at negative infinity where that was before any of
   * them begins.
   */
  readonly boots?: readonly number[] | undefined;
}
