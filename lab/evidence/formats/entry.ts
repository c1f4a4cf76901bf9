import type { WatchLine } from '../watch-lines.ts';

/** A time as a line says it: each part only where the line has it. */
export interface Stamp {
  /** Milliseconds since the epoch, of a line with year and zone. */
  readonly wallMs?: number | undefined;
  /** What a clock showed that does not say its zone, and often not its year. */
  readonly local?: LocalTime | undefined;
  /** Microseconds since boot. */
  readonly bootMicros?: number | undefined;
  /** How long after its time on a clock it may have been: such clocks are cut to seconds, in milliseconds. */
  readonly cutMs: number;
}

/** A time without a zone. */
export interface LocalTime {
  /** Milliseconds since the epoch as if the zone were UTC; without a year, as if it were the leap year 2000. */
  readonly ms: number;
  readonly hasYear: boolean;
}

/** A line of the kernel log. */
export interface KernelEntry {
  readonly kind: 'kernel';
  readonly line: number;
  readonly stamp: Stamp;
  readonly text: string;
  readonly seq?: number | undefined;
  /** Who wrote it: 0 is the kernel itself. Undefined where the format does not say. */
  readonly facility?: number | undefined;
  /** Name of the machine, as the line has it. */
  readonly host?: string | undefined;
  readonly bootId?: string | undefined;
}

/** A line of a program: kubelet, runtime, systemd. */
export interface ProgramEntry {
  readonly kind: 'program';
  readonly line: number;
  /** By the clock of whoever collected the line: journald, syslog. */
  readonly stamp: Stamp;
  /** By the clock of the program itself, as the message has it. */
  readonly own?: Stamp | undefined;
  /** Its name; empty where the file does not say: then the file is of one program. */
  readonly by: string;
  readonly message: string;
  /** Name of the machine, as the line has it. */
  readonly host?: string | undefined;
  readonly bootId?: string | undefined;
}

/** An object of the API. */
export interface ObjectEntry extends WatchLine {
  readonly kind: 'object';
  readonly what: 'pod' | 'event' | 'node' | 'lease';
}

/** What the runtime says of a container or a sandbox when it is asked. */
export interface RuntimeEntry {
  readonly kind: 'runtime';
  readonly line: number;
  /** As CRI has it. */
  readonly status: Readonly<Record<string, unknown>>;
  readonly containerId: string;
  readonly podUid: string;
  readonly pod: string;
  readonly namespace: string;
  /** Name of the container; empty for a sandbox. */
  readonly container: string;
  readonly sandboxId: string | undefined;
  readonly attempt: number | undefined;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** Numbers of the kernel at one moment: a file of a cgroup, or `vmstat`. */
export interface CounterEntry {
  readonly kind: 'counter';
  readonly line: number;
  /** Path of the cgroup; undefined for a counter of the whole node. */
  readonly cgroup: string | undefined;
  readonly file: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Two clocks of the node at one moment, or only the time of its boot. */
interface ClockEntry {
  readonly kind: 'clock';
  readonly line: number;
  readonly wallMs: number;
  readonly bootMicros: number;
  readonly cutMs: number;
}

/** A row of a table of pods or containers, which says little of them. */
export interface RowEntry {
  readonly kind: 'row';
  readonly line: number;
  readonly namespace: string | undefined;
  readonly name: string;
  /** How often the containers of the pod have ended, where it says that. */
  readonly ends: number | undefined;
  /** What it tells of an end: of use where nothing else tells of any. */
  readonly tells: ObjectEntry | RuntimeEntry | undefined;
}

/** How often a kubelet says that the kernel's OOM killer came to a cgroup. */
export interface OomCountEntry {
  readonly kind: 'oom-count';
  readonly line: number;
  readonly cgroup: string;
  /** Empty, like the pod and the container, where the cgroup is not that of one. */
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly count: number;
}

/** What a reader finds in a file. */
export type Entry =
  | KernelEntry
  | ProgramEntry
  | ObjectEntry
  | RuntimeEntry
  | CounterEntry
  | ClockEntry
  | RowEntry
  | OomCountEntry;
