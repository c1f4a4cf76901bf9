import type { Variant } from './axes.ts';
import type { EvidenceSource } from './evidence-files.ts';
import type { Outcome } from './scenario.ts';

/** What was done in a cell, saved as `cell.json`: with the evidence files, all that judging again needs. */
export interface CellRecord {
  readonly formatVersion: 1;
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
  readonly expected: Outcome;
  readonly victim: { readonly namespace: string; readonly selector: string; readonly container: string };
  readonly nodes: readonly string[];
  /** ISO 8601 UTC, host clock; the guests' clocks are stepped to it after a restore. */
  readonly startedAt: string;
  readonly deployedAt: string;
  readonly endedAt: string;
  /** What we ourselves did to the victim, with time and the pid of the sender on its node. */
  readonly stimuli: readonly {
    readonly kind: string;
    readonly at: string;
    readonly node: string;
    readonly detail: string;
  }[];
  /** Text of the last record of every node's kernel log: a log without it was cut. Absent in older captures. */
  readonly kmsgEnd?: string;
  /** Sources that could not be saved, with the reason; with `from` (ISO time) only what came later may be missing. */
  readonly lost: readonly {
    readonly source: EvidenceSource;
    readonly node?: string;
    readonly from?: string;
    readonly why: string;
  }[];
  /** Set when somebody interrupted the cell. */
  readonly interrupted?: string;
  /** Set when an error of the lab cut the cell short: what was seen is no basis for a verdict. */
  readonly broken?: string;
}
