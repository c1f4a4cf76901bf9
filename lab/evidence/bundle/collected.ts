import type { LineSieve } from '../line-sieve.ts';
import type { Line } from '../lines.ts';
import type { Entry, KernelEntry, LocalTime } from '../formats/entry.ts';
import type { FormatName } from '../formats/format.ts';
import type { PlaceInBundle } from './layout.ts';
import type { Role } from './roles.ts';

/** A file to read: its lines come one after the other, and only once. */
export interface BundleFile {
  /** As the user knows it. */
  readonly path: string;
  readonly lines: Iterable<Line> | AsyncIterable<Line>;
  /** Of these lines; the reader of a large log sets it. */
  readonly sieve?: LineSieve;
}

/** An entry that says something, with what only the lines before it tell. */
export interface Kept<One extends Entry = Entry> {
  readonly entry: One;
  readonly role: Role | 'kernel' | 'other';
  /** How often the year had turned in the file. */
  readonly turns: number;
  /** How often the node had booted in the file. */
  readonly boot: number;
}

/** Records whose numbers are missing. */
export interface NumberGap {
  readonly from: Kept<KernelEntry>;
  readonly to: Kept<KernelEntry>;
}

/** A line with two clocks, or with none that another file may date. */
export interface Anchor {
  readonly line: number;
  readonly turns: number;
  readonly boot: number;
  readonly local?: LocalTime | undefined;
  readonly bootMicros?: number | undefined;
  readonly wallMs: number;
  readonly cutMs: number;
}

/** What was read from a file, not yet dated. */
export interface CollectedFile {
  readonly path: string;
  readonly place: PlaceInBundle;
  readonly format: FormatName;
  readonly kept: readonly Kept[];
  /** Lines with a wall clock beside another one; only those that tell something new are kept. */
  readonly anchors: readonly Anchor[];
  /** Kernel lines by their text, where a text is there once: for the same lines of other files. */
  readonly texts: ReadonlyMap<string, Kept<KernelEntry> | undefined>;
  readonly gaps: readonly NumberGap[];
  readonly first: Kept | undefined;
  readonly last: Kept | undefined;
  /** Whether each line that has a time has its year and zone. */
  readonly isWritten: boolean;
  readonly lines: number;
  readonly unread: number;
  /** Lines that were too long, and what was cut off of them is not known. */
  readonly cut: number;
  /** Lines that a terminal cut off at its width. */
  readonly clipped: number;
  readonly kernelRecords: number;
  /** The boots that ended in a panic, by their numbers in the file. */
  readonly panicked: ReadonlySet<number>;
  readonly hasFacility: boolean;
  readonly hasSequence: boolean;
  /** Name of the machine, where its lines have it. */
  readonly host: string | undefined;
}

/** Whether the lines of a kernel log have no clock but that of the kernel, which begins with its boot. */
export function isSinceBoot({ last }: CollectedFile): boolean {
  if (last?.entry.kind !== 'kernel') return false;
  const { local, wallMs, bootMicros } = last.entry.stamp;
  return local === undefined && wallMs === undefined && bootMicros !== undefined;
}

/**
 * Whether a boot of a kernel log without a wall clock is over, because another one follows or a crash ended it: no counter and no
 * boot time of the node is about its lines.
 *
 * @param boot its number in the file; the last one where none is given.
 */
export function isOfEndedBoot(file: CollectedFile, boot = lastBootOf(file)): boolean {
  const hasEnded = boot < lastBootOf(file) || file.place.isOfCrash || file.panicked.has(boot);
  return hasEnded && isSinceBoot(file);
}

/** The number of the last boot of a file. */
export function lastBootOf({ last }: CollectedFile): number {
  return last?.boot ?? 0;
}
