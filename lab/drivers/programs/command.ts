import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { $, ps, quote, type ProcessOutput, type ProcessPromise } from 'zx';
import { CommandError, type CommandFailure } from '../../model/errors/errors.ts';
import type { CommandOptions, CommandResult, RunCommand } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { findTool, isExecutable } from '../host/host-facts.ts';
import { readStreamLines } from '../files/read-lines.ts';

/** Output kept per stream; beyond it the program is stopped. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TAIL_LINES = 20;

/** Quotes a command so that it can be pasted into a shell. */
export function formatCommand(program: string, args: readonly string[]): string {
  return [program, ...args].map((word) => quote(word)).join(' ');
}

/**
 * Runs a program without a shell in between: zx quotes each argument. A program that is stopped (abort, time limit,
 * too much output) gets SIGTERM, then SIGKILL with all its children; the call returns when it has really ended.
 *
 * @throws CommandError with the cause decided once, from what we looked for, what we did and how the program ended, never
 *   from what it printed: not found, aborted, timed out, killed, too much output, status.
 */
export const runCommand: RunCommand = async (program, args, options = {}) => {
  const command = formatCommand(program, args);
  if (isAborted(options.signal)) throw new CommandError({ command, failure: 'aborted', tail: '' });
  if (!isInstalled(program, options)) throw new CommandError({ command, failure: 'not-found', tail: '' });
  const limit = new AbortController();
  const child = start(program, args, options, limit);
  const stopper = createStopper(child, limit, options);
  readOutput(child, options, () => stopper.stop('output-too-large'));
  let output;
  try {
    output = await child;
  } finally {
    stopper.release();
  }
  const failure = findFailure(output, options, stopper.reason());
  if (failure !== undefined) {
    throw new CommandError({
      command,
      failure,
      status: output.exitCode ?? undefined,
      signal: output.signal ?? undefined,
      tail: tailOf(output.stderr) || tailOf(output.stdout),
    });
  }
  return {
    status: output.exitCode ?? 0,
    stdout: output.stdout,
    stderr: output.stderr,
  } satisfies CommandResult;
};

function start(
  program: string,
  args: readonly string[],
  options: CommandOptions,
  limit: AbortController,
): ProcessPromise {
  const shell = $({
    cwd: options.cwd ?? process.cwd(),
    env: { ...mergeEnv(options), ...NO_START_FILE },
    input: options.input ?? '',
    ac: limit,
    detached: false,
    nothrow: true,
    quiet: true,
    verbose: false,
    killSignal: 'SIGTERM',
    // The program takes the place of zx's shell, so that the stop signal reaches the program itself.
    prefix: `exec ${endWithUs(options)}`,
  });
  return shell`${program} ${args as string[]}`;
}

/**
 * Words before a program that let the kernel send it the stop signal when we are killed (prctl(2), PR_SET_PDEATHSIG).
 * `setpriv` is in the package util-linux, which every Debian has.
 */
function endWithUs(options: CommandOptions): string {
  return isInstalled('setpriv', options) ? 'setpriv --pdeathsig TERM -- ' : '';
}

/**
 * A shell of the first level that has a socket as standard input takes itself for one of rshd and reads ~/.bashrc
 * (bash(1), INVOCATION), which may change PATH. Node's pipes are sockets, and cron and systemd start us without a
 * level. This one is the level above that of the shell.
 */
const NO_START_FILE = { SHLVL: '1' };

type StopReason = Extract<CommandFailure, 'aborted' | 'timed-out' | 'output-too-large'>;

interface Stopper {
  /** Sends the stop signal, once, and the last signal when that does not help. */
  stop(reason: StopReason): void;
  /** Why the program was stopped; undefined when it was not. */
  reason(): StopReason | undefined;
  /** Forgets all timers: the program has ended. */
  release(): void;
}

function createStopper(child: ProcessPromise, limit: AbortController, options: CommandOptions): Stopper {
  let reason: StopReason | undefined;
  let patience: NodeJS.Timeout | undefined;
  const stop = (why: StopReason): void => {
    if (reason !== undefined) return;
    reason = why;
    limit.abort();
    patience = setTimeout(() => void killTree(child), options.killAfterMs ?? TIME_LIMITS.host.programEnds.ms);
  };
  const abort = (): void => stop('aborted');
  options.signal?.addEventListener('abort', abort, { once: true });
  const { timeoutMs } = options;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop('timed-out'), timeoutMs);
  return {
    stop,
    reason: () => (isAborted(options.signal) ? 'aborted' : reason),
    release: () => {
      clearTimeout(timer);
      clearTimeout(patience);
      options.signal?.removeEventListener('abort', abort);
    },
  };
}

/** Kills a program and what it started, the program first: it must not see its children die and start others. */
async function killTree(child: ProcessPromise): Promise<void> {
  const { pid } = child;
  // Without a `ps` to show the tree, only the program.
  const below = pid === undefined ? [] : await ps.tree({ pid, recursive: true }).catch(() => []);
  child.child?.kill('SIGKILL');
  for (const child of below) {
    try {
      process.kill(Number(child.pid), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended meanwhile
    }
  }
}

function readOutput(child: ProcessPromise, options: CommandOptions, onTooLarge: () => void): void {
  let bytes = 0;
  const read = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (options.logFile !== undefined) appendFileSync(options.logFile, chunk);
    if (bytes > MAX_OUTPUT_BYTES) onTooLarge();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', read);
    if (options.onLine !== undefined) readStreamLines(stream, options.onLine);
  }
}

function findFailure(
  output: ProcessOutput,
  options: CommandOptions,
  stopped: StopReason | undefined,
): CommandFailure | undefined {
  if (stopped !== undefined) return stopped;
  if (output.signal !== null) return 'killed';
  return (options.okStatus ?? [0]).includes(output.exitCode ?? -1) ? undefined : 'exit-code';
}

function isInstalled(program: string, options: CommandOptions): boolean {
  const { cwd = process.cwd() } = options;
  if (program.includes('/')) return isExecutable(resolve(cwd, program));
  return findTool(program, mergeEnv(options)['PATH'] ?? '', []) !== undefined;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function mergeEnv({ env: extra = {}, withoutEnv }: CommandOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => withoutEnv?.test(name) !== true);
  const env: NodeJS.ProcessEnv = Object.fromEntries(kept);
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

function tailOf(text: string): string {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
