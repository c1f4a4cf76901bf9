import type { cachePaths } from '../../lab/model/host/paths.ts';

/** How one kind of crash is staged. */
export interface CrashStaging {
  /** What is done before, in whole commands: the words of a command line each. */
  readonly before: readonly (readonly string[])[];
  /** Parts of the cache that may be missing. */
  readonly without?: readonly (keyof ReturnType<typeof cachePaths>)[];
  readonly victim: readonly string[];
  /** The next command is one of these. */
  readonly next: readonly (readonly string[])[];
  /** Whether the default world was saved before, and still has to be. */
  readonly keepsWorld?: boolean;
  /** Moments of a whole command, roughly; the number is learned as it is seen. */
  readonly moments: number;
}

/** Brings the default world up and says how. */
export const UP = ['up', '--json'] as const;
const DERIVE = ['up', '--json', 'knobs=qps-5'] as const;
/** Its two sides have a world each, one derived from the other. */
const REPRO = ['repro', 'oom-kill-of-a-child-unnoticed'] as const;
const [FIRST, SECOND] = ['oom-single-container', 'oom-container-level'];
const [GC, DOWN] = [['gc'], ['down', '--all']];

/** The commands that change the host, but two (`CrashKind`). */
export const STAGINGS = {
  bake: {
    before: [],
    without: ['images', 'components', 'rootfs'],
    victim: ['bake'],
    next: [['bake'], GC],
    moments: 60,
  },
  up: { before: [DOWN], without: ['images'], victim: UP, next: [UP, GC, DOWN], moments: 110 },
  'up of a saved world': { before: [UP], victim: UP, next: [UP], keepsWorld: true, moments: 19 },
  'up of a derived world': {
    before: [DOWN, UP],
    victim: DERIVE,
    next: [DERIVE, GC, DOWN],
    moments: 70,
  },
  run: {
    before: [UP],
    victim: ['run', FIRST, SECOND],
    next: [['run', FIRST], ['run', '--resume'], GC],
    keepsWorld: true,
    moments: 70,
  },
  'run from nothing': { before: [DOWN], victim: ['run', FIRST], next: [GC, UP], moments: 130 },
  repro: { before: [UP], victim: REPRO, next: [REPRO, GC, UP], moments: 150 },
  down: { before: [UP], victim: DOWN, next: [DOWN, GC, UP], moments: 18 },
} as const satisfies Readonly<Record<string, CrashStaging>>;

/** `gc` is killed behind an `up` that was killed; of two labs that share a cache, one is killed. */
export type CrashKind = keyof typeof STAGINGS | 'gc' | 'two labs';

/** Kinds in the order in which they take turns. */
export const CRASH_KINDS: readonly CrashKind[] = [
  ...(['run', 'up', 'bake', 'down', 'up of a derived world', 'gc', 'up of a saved world'] as const),
  ...(['two labs', 'run from nothing', 'repro'] as const),
];

/** How commands end before their time: the signals that they get, a tenth of a second apart, and the exit code. */
export const ENDINGS = {
  SIGKILL: { signals: ['SIGKILL'], status: 137 },
  'Ctrl-C': { signals: ['SIGINT'], status: 130 },
  'Ctrl-C twice': { signals: ['SIGINT', 'SIGINT'], status: 130 },
} as const satisfies Readonly<Record<string, { signals: readonly NodeJS.Signals[]; status: number }>>;

/** How a command is ended. */
export type Ending = keyof typeof ENDINGS;

/** Where a command dies, and what is done next. */
export interface CrashPlan {
  readonly kind: CrashKind;
  /** Default: SIGKILL. */
  readonly by?: Ending;
  /** The first moment whose text has these words; left out: a random one. */
  readonly at?: string;
  /** From that moment to the signal, in milliseconds. */
  readonly laterMs?: number;
  /** The verb of the next command; left out: a random one of those that fit. */
  readonly next?: string;
}

/** Crashes at chosen moments: each is one in which something is half done. CI stages them all. */
export const CHOSEN_CRASHES: readonly CrashPlan[] = [
  { kind: 'bake', at: 'proof', next: 'gc' },
  { kind: 'bake', at: 'build: half a program', next: 'gc' },
  { kind: 'bake', at: 'half a tar', next: 'gc' },
  { kind: 'bake', at: 'bake: store filled', next: 'bake' },
  { kind: 'bake', at: 'bake: half a disk', next: 'gc' },
  { kind: 'up', at: 'terraform init', next: 'up' },
  { kind: 'up', at: 'apply: begun', next: 'gc' },
  { kind: 'up', at: 'apply: pool made', next: 'gc' },
  { kind: 'up', at: 'apply: volume made', next: 'up' },
  { kind: 'up', at: 'apply: domain defined', next: 'down' },
  { kind: 'up', at: 'apply: domain started', laterMs: 30, next: 'gc' },
  { kind: 'up', at: 'snapshot: half-way', next: 'gc' },
  { kind: 'up', at: 'snapshot-create-as: done', laterMs: 10, next: 'up' },
  { kind: 'up of a saved world', at: 'qemu-monitor-command: before', next: 'up' },
  { kind: 'up of a derived world', at: 'apply: domain started', laterMs: 20, next: 'gc' },
  { kind: 'run', at: 'cat /dev/kmsg', next: 'run' },
  { kind: 'run', at: 'the journals of a node', laterMs: 20, next: 'gc' },
  { kind: 'down', at: 'destroy: before the domain', next: 'down' },
  { kind: 'down', at: 'destroy: done', laterMs: 5, next: 'gc' },
  { kind: 'gc', at: 'pool-dumpxml', next: 'gc' },
];

/** Commands that are interrupted when something is half done. CI stages them all. */
export const CHOSEN_INTERRUPTS: readonly CrashPlan[] = [
  { kind: 'bake', by: 'Ctrl-C twice', at: 'build: half a program', next: 'gc' },
  { kind: 'up', by: 'Ctrl-C', at: 'apply: domain started', next: 'up' },
  { kind: 'up', by: 'Ctrl-C twice', at: 'snapshot: half-way', next: 'gc' },
  { kind: 'run', by: 'Ctrl-C twice', at: 'cat /dev/kmsg', next: 'run' },
  { kind: 'down', by: 'Ctrl-C', at: 'destroy: before the domain', next: 'down' },
];
