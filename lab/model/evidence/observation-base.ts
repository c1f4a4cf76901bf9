import type { EvidenceRef } from '../saved/formats.ts';

/**
 * Observations: facts with a source and a time, read from the saved evidence of one cell. The judge sees nothing
 * else. `at` is wall time in milliseconds since the epoch after the source's clock correction; undefined when the
 * source carries no usable time.
 */
export interface Base {
  readonly at: number | undefined;
  /** The times between which a record without a time was written, where they are known. */
  readonly between?: { readonly from: number; readonly to: number };
  /** How long after `at` it may have been, in milliseconds, where a log cuts its times to seconds. */
  readonly cutMs?: number | undefined;
  readonly ref: EvidenceRef;
  /** The node it comes from; undefined for evidence of the whole cluster. */
  readonly node: string | undefined;
  /** Node and part of the stream, as text to compare: a pid means the same process within one boot only. */
  readonly boot: string;
}
