import type { ProjectFolders } from './project-folders.ts';
import type { Missed } from '../evidence/cell-record.ts';
import type { RemoteCache } from './remote-cache.ts';

/**
 * What the pieces outside `lab/drivers` may ask of the outside world, as interfaces. `lab/drivers` implements them;
 * everything else receives them, so that a fault test can pass its own.
 */

/** How a program is started. */
export interface CommandOptions {
  readonly cwd?: string;
  /** Added to (and overriding) the environment of this process; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Variables of this process whose names match are not handed on. Default: none. */
  readonly withoutEnv?: RegExp;
  /** Written to the standard input of the program, which is closed afterwards. Default: no input. */
  readonly input?: string | Buffer;
  /** Time limit. Default: none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** What a stopped program may take to end by itself (SIGTERM) before it is killed (SIGKILL). Default: 5000. */
  readonly killAfterMs?: number;
  /** Called for each line of standard output and standard error as it appears (progress). */
  readonly onLine?: (line: string) => void;
  /** Append everything the program prints to this file as well. */
  readonly logFile?: string;
  /** Exit codes that count as success. Default: [0]. */
  readonly okStatus?: readonly number[];
}

/** What a program that ended well left behind. */
export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program whose output the lab reads. Arguments are passed as they are, never through a shell. Throws
 * CommandError.
 */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options?: CommandOptions,
) => Promise<CommandResult>;

/** Wall clock and waiting, passed in so that everything else is replayable. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment. Unlike `now`, nobody can set it: for durations. */
  elapsed(): number;
  /**
   * Resolves after the time or rejects with InterruptedError when the signal fires. To wait for a condition use
   * `waitFor`.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One look at a probe. */
export type Look<T> =
  | { readonly done: true; readonly value: T }
  /** Not yet. The error of a time-out says `seen`. `impossible` ends the wait at once. */
  | { readonly done: false; readonly seen: string; readonly impossible?: boolean };

/** Something that is waited for: until it holds, or can hold no more. */
export interface Probe<T = true> {
  /** What is awaited, as the end of "timed out waiting for …": "node-1 to answer SSH". */
  readonly title: string;
  /** An error that it throws ends the wait. */
  readonly look: () => Promise<Look<T>>;
  /** What a person should try when it does not hold. */
  readonly tryNext?: string;
}

/** How a probe is waited for. */
export interface WaitOptions {
  readonly timeoutMs: number;
  /** Pause between two looks. Default 500. */
  readonly intervalMs?: number;
  /** Default: the signal of the host. */
  readonly signal?: AbortSignal;
  /** File that says more when the wait timed out. */
  readonly log?: string;
}

/**
 * The only function that polls: looks at a probe until it holds, and returns what it found.
 *
 * @throws ProbeTimeoutError with what was seen last; InterruptedError; what the look throws.
 */
export type WaitFor = <T>(probe: Probe<T>, options: WaitOptions) => Promise<T>;

/** Which process a pid means. A number is given again to others: without either, whoever has it now. */
interface MeantProcess {
  /** When it started, in clock ticks since boot: the pid with them names one process for ever. */
  readonly startTicks?: string;
  /** A time at which it ran, in milliseconds since the epoch: a process that started later only reuses the number. */
  readonly ranAtMs?: number;
}

/** Whether the process that is meant still runs. */
export type IsProcessAlive = (pid: number, meant?: MeantProcess) => boolean;

/** How a step is shown. */
export interface StepOptions<T> {
  /** What is printed before the title of a step that ended without an error; `✓` by default. */
  readonly mark?: (value: T) => string;
  /** What it will still take at a time, both in milliseconds; undefined when nobody knows. */
  readonly remaining?: (now: number) => number | undefined;
  /** Printed before every line of what is inside of it: which of several worlds it is about. */
  readonly scope?: string;
}

/** Progress for a person, on standard error. */
export interface Progress {
  /** Runs a step: shows its title and its latest detail while it runs, its time when done. Steps nest. */
  step<T>(
    title: string,
    work: (update: (detail: string) => void) => Promise<T>,
    options?: StepOptions<T>,
  ): Promise<T>;
  /** One plain line. */
  note(text: string): void;
}

/** Locks of entries in a cache that several labs may share. The kernel frees those of a lab that ends, however it ends. */
export interface EntryLocks {
  /** Says that this process uses what a path names until it ends; `whodunit cache prune` then leaves it. */
  use(path: string): Promise<void>;
  /**
   * Makes this the only lab that makes what a path names, until the returned function is called. Waits for another one,
   * however long that takes; `onWait` is given its name then.
   *
   * @throws InterruptedError when the signal fires meanwhile; HostError LAB_LOCK.
   */
  make(path: string, onWait: (holder: string) => void): Promise<() => void>;
}

/** Drivers that provisioning and stacks receive. */
export interface Host extends ProjectFolders {
  readonly run: RunCommand;
  readonly clock: Clock;
  readonly waitFor: WaitFor;
  readonly isProcessAlive: IsProcessAlive;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Effective user id; 0 = root. */
  readonly uid: number;
  readonly gid: number;
  /** `.lab/` or $WHODUNIT_HOME. */
  readonly stateDir: string;
  /** `<state>/cache` or $WHODUNIT_CACHE. */
  readonly cacheDir: string;
  readonly locks: EntryLocks;
  /**
   * Opens the cache that several hosts share, once for all; undefined when there is none.
   *
   * @throws UsageError when its address is none.
   */
  readonly openRemote: () => Promise<RemoteCache | undefined>;
}

/** One command or script result inside a guest; a non-zero status is data here. */
export interface GuestResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a script is run inside a guest. */
export interface ScriptOptions {
  /** Default: none. */
  readonly timeoutMs?: number;
  /** What an error calls the script. Default: its text. */
  readonly name?: string;
  /** Called for each line of standard output as it appears. */
  readonly onLine?: (line: string) => void;
}

/** A script inside a guest whose standard output goes to a local file. */
export interface GuestStream {
  /**
   * Ends it and waits until all that it printed is in the file; at `limit` the file is closed as it is. Resolves to
   * what the file lacks because it could not be written.
   */
  stop(limit: AbortSignal): Promise<Missed[]>;
}

/** A connection that a program in a guest made; bytes go both ways. */
export interface GuestConnection extends NodeJS.ReadWriteStream {
  destroy(): unknown;
}

/**
 * One SSH connection to a node. It carries the signal that it was opened under: when that fires, the calls that run and
 * all later ones reject with InterruptedError at once. A stream goes on until it is stopped.
 */
export interface Guest {
  readonly name: string;
  /**
   * Runs a shell script (bash -eu -o pipefail) given on standard input. Status is returned, never thrown.
   *
   * @throws InterruptedError; HostError LAB_SSH_LOST; CommandError when its time is up.
   */
  script(text: string, options?: ScriptOptions): Promise<GuestResult>;
  /** Like `script`, but throws CommandError on a status other than 0. Returns standard output. */
  must(text: string, options?: ScriptOptions): Promise<string>;
  /**
   * Runs a shell command with these bytes as its standard input. Throws CommandError on a status other than 0.
   * Returns standard output. After an interrupt, or when the time is up, the rest of the bytes is not sent.
   */
  feed(command: string, input: Buffer, options?: ScriptOptions): Promise<string>;
  writeFile(path: string, content: string | Buffer, mode?: number): Promise<void>;
  /** Starts a long-running script whose standard output goes to a local file. */
  stream(text: string, localFile: string): Promise<GuestStream>;
  /**
   * Listens on a port of the guest's 127.0.0.1 until this connection is closed, and is handed each connection to it.
   *
   * @throws HostError LAB_SSH_LISTEN when the guest does not let us.
   */
  listen(port: number, onConnection: (connection: GuestConnection) => void): Promise<void>;
  /** The same connection for work that another signal ends: what must still be done after an interrupt. */
  under(signal: AbortSignal): Guest;
  close(): void;
}

/** Where the virtual machines live. */
export interface LibvirtConnection {
  /** For virsh: `qemu:///system` or `qemu:///session`. */
  readonly uri: string;
  /** For the Terraform provider: the same with the socket it needs. */
  readonly providerUri: string;
  readonly kind: 'system' | 'session';
}

/** How guests execute: proven hardware virtualisation, else emulation. */
export type Accelerator = 'kvm' | 'tcg';
