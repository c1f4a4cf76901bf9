import type { EvidenceRef } from '../saved/formats.ts';
import type { Level } from '../killers/killers.ts';

/**
 * What the evidence of a cell tells in addition to its verdict, for a reader: it is read whenever it is wanted, and
 * saved nowhere.
 */

/** What happened to the victim and its pod, whoever recorded it. */
export interface Story {
  /** Each record once, oldest first; records without a time are left out. */
  readonly events: readonly EvidenceRef[];
  /** When the container of the victim started, in milliseconds since the epoch; undefined when nobody recorded it. */
  readonly startedAt: number | undefined;
  /** When the victim ended, in milliseconds since the epoch; undefined while it lives. */
  readonly endedAt: number | undefined;
  readonly memory: readonly MemorySeries[];
}

/** The memory of one cgroup over time. */
export interface MemorySeries {
  /** Path of the cgroup. */
  readonly path: string;
  readonly level: Level | undefined;
  /** What it used, and the most that it had used by then; oldest first. */
  readonly used: readonly MemoryPoint[];
  readonly peaks: readonly MemoryPoint[];
  /** Its limit, in bytes; undefined when it has none. */
  readonly limitBytes: number | undefined;
}

/** One reading of a cgroup file. */
export interface MemoryPoint {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
}

/** What the scenario of a cell asked for, as far as the cell saved it. */
export interface Asked {
  readonly title: string | undefined;
  /** As YAML, without secrets. */
  readonly manifest: string | undefined;
  /** What that is: the manifests, or of a cell that did not save them the pod of the victim as the API first had it. */
  readonly from: 'manifests' | 'pod';
}

/** Lines of one evidence file, with their neighbours. */
export interface Excerpt {
  /** Path inside the cell's evidence folder. */
  readonly file: string;
  /** In the order of the file; empty lines of the file are left out. */
  readonly lines: readonly ExcerptLine[];
}

/** One line of an evidence file. */
export interface ExcerptLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without secrets, and cut when it is long. */
  readonly text: string;
  /** How many characters were cut off. */
  readonly more: number;
  /** Whether it was asked for; else it is a neighbour of one that was. */
  readonly isWanted: boolean;
}
