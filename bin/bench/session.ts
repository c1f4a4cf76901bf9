import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadWholeConfig } from '../../lab/commands/setup/config.ts';
import { createContext, type Context } from '../../lab/commands/context/context.ts';
import { CommandError, InternalError } from '../../lab/model/errors/errors.ts';
import { openLab, type Lab } from '../../lab/world/lab.ts';
import { findWorldRecord, isReady, type ReadyRecord } from '../../lab/world/world-record.ts';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** How a lab command ended. */
export interface TimedCommand {
  readonly stdout: string;
  readonly ms: number;
}

/** How a lab command is run. */
interface CommandOptions {
  /** Exit codes that are not an error; only 0 if none are given. */
  readonly expected?: readonly number[];
  /** Gets the process. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** A state folder of its own in which the benchmarks run the real command line. */
export interface Session {
  readonly context: Context;
  readonly home: string;
  /** The temporary folder of its commands: everything that stays there was forgotten. */
  readonly temporary: string;
  /** Runs the command line. Rejects when it ends with an exit code that is not expected. */
  run(words: readonly string[], options?: CommandOptions): Promise<TimedCommand>;
  /** Starts the command line as a process of its own, which somebody may kill. */
  start(words: readonly string[], more?: NodeJS.ProcessEnv): ChildProcess;
  /** Brings the default world up, once for all parts; the first call says how long it took. */
  upDefault(): Promise<{ record: ReadyRecord; first: TimedCommand | undefined }>;
  /** The lab's own pieces on this state folder. */
  lab(): Promise<Lab>;
  /** Removes worlds and state. */
  close(): Promise<void>;
}

/** Opens a session that uses the project's cache. */
export function openSession(signal: AbortSignal): Session {
  const home = mkdtempSync(join(tmpdir(), 'whodunit-bench-'));
  const project = createContext(signal);
  const context = createContext(signal, {
    ...process.env,
    WHODUNIT_HOME: home,
    WHODUNIT_CACHE: project.cacheDir,
  });
  const temporary = mkdtempSync(join(tmpdir(), 'whodunit-bench-tmp-'));
  const env = {
    ...process.env,
    WHODUNIT_HOME: home,
    WHODUNIT_CACHE: project.cacheDir,
    TMPDIR: temporary,
  };
  const bin = join(context.projectDir, 'bin/whodunit.mjs');
  const run: Session['run'] = (words, options) => runLab(bin, words, env, options);
  const found = (): ReadyRecord | undefined => {
    const record = findWorldRecord(home, 'default');
    return record !== undefined && isReady(record) ? record : undefined;
  };
  return {
    context,
    home,
    temporary,
    run,
    start: (words, more = {}) =>
      spawn(process.execPath, [bin, ...words], {
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    upDefault: async () => {
      const first = found() === undefined ? await run(['up', '--json']) : undefined;
      const record = found();
      if (record === undefined) throw new InternalError('the benchmark has no world');
      return { record, first };
    },
    lab: () => openLab(context, loadWholeConfig(context)),
    close: async () => {
      await run(['down', '--all']);
      for (const folder of [home, temporary]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command line of the lab and measures it from start to end. */
export function runLab(
  bin: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { expected = [0], onStart }: CommandOptions = {},
): Promise<TimedCommand> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const argv = [bin, ...words];
    const child = execFile(process.execPath, argv, { env, maxBuffer: MAX_OUTPUT }, (_, stdout, stderr) => {
      const status = child.exitCode ?? undefined;
      if (status !== undefined && expected.includes(status))
        resolve({ stdout, ms: performance.now() - startedAt });
      else {
        const command = `whodunit ${words.join(' ')}`;
        reject(new CommandError({ command, failure: 'exit-code', status, tail: stderr.trim() }));
      }
    });
    onStart?.(child);
  });
}
