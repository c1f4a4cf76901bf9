import { appendFileSync } from 'node:fs';
import { $, quote } from 'zx';
import { CommandError } from '../model/errors.ts';
import type { CommandOptions, CommandResult, RunCommand } from '../model/host.ts';

/** Output kept per stream; beyond it the program is stopped. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TAIL_LINES = 20;

/** Quotes a command so that it can be pasted into a shell. */
export function formatCommand(program: string, args: readonly string[]): string {
  return [program, ...args].map((word) => quote(word)).join(' ');
}

/**
 * Runs a program without a shell in between: zx quotes each argument.
 *
 * @throws CommandError with the cause decided once: not found, aborted, timed out, killed, too much output, status.
 */
export const runCommand: RunCommand = async (program, args, options = {}) => {
  const command = formatCommand(program, args);
  const startedAt = Date.now();
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  let timedOut = false;
  let tooLarge = false;
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          limit.abort();
        }, options.timeoutMs);

  if (isAborted(options.signal)) throw failure({ command, failure: 'aborted', tail: '' });
  const shell = $({
    cwd: options.cwd ?? process.cwd(),
    env: mergeEnv(options.env),
    input: options.input ?? '',
    ac: limit,
    detached: false,
    nothrow: true,
    quiet: true,
    verbose: false,
    killSignal: 'SIGTERM',
  });
  const child = shell`${program} ${args as string[]}`;
  let bytes = 0;
  const feed = lineSplitter(options.onLine);
  const watch = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (options.logFile !== undefined) appendFileSync(options.logFile, chunk);
    feed(chunk.toString());
    if (bytes > MAX_OUTPUT_BYTES && !tooLarge) {
      tooLarge = true;
      limit.abort();
    }
  };
  child.stdout.on('data', watch);
  child.stderr.on('data', watch);
  try {
    const output = await child;
    const status = output.exitCode;
    const facts = {
      command,
      status: status ?? undefined,
      signal: output.signal ?? undefined,
      tail: tailOf(output.stderr) || tailOf(output.stdout),
    };
    if (status === 127 && /not found|No such file/.test(output.stderr))
      throw failure({ ...facts, failure: 'not-found' });
    if (isAborted(options.signal)) throw failure({ ...facts, failure: 'aborted' });
    if (timedOut) throw failure({ ...facts, failure: 'timed-out' });
    if (tooLarge) throw failure({ ...facts, failure: 'output-too-large' });
    if (output.signal !== null) throw failure({ ...facts, failure: 'killed' });
    if (!(options.okStatus ?? [0]).includes(status ?? -1)) throw failure({ ...facts, failure: 'exit-code' });
    return {
      status: status ?? 0,
      stdout: output.stdout,
      stderr: output.stderr,
      durationMs: Date.now() - startedAt,
    } satisfies CommandResult;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
  }
};

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function failure(facts: ConstructorParameters<typeof CommandError>[0]): CommandError {
  return new CommandError(facts);
}

function mergeEnv(extra: CommandOptions['env']): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const [name, value] of Object.entries(extra ?? {})) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

function tailOf(text: string): string {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

function lineSplitter(onLine: ((line: string) => void) | undefined): (text: string) => void {
  if (onLine === undefined) return () => undefined;
  let rest = '';
  return (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
