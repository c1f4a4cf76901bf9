import type { Numbered } from './gaps.ts';

/** One record of the kernel itself. */
export interface KernelRecord extends Numbered {
  /** On the node's monotonic clock, in microseconds. */
  readonly micros: number;
  readonly text: string;
}
