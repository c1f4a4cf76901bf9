import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';
import { createWaitFor, systemClock } from '../drivers/clock.ts';
import { isProcessAlive } from '../drivers/liveness.mjs';
import { createProgress } from '../drivers/progress.ts';
import type { Download } from '../model/components.ts';
import type { Host, RunCommand } from '../model/host.ts';
import type { Flags } from './flags.ts';

/** What every verb receives: the host, and the way to answer on standard output. */
export interface Context extends Host {
  /** Saves what a URL answers to a file. */
  readonly download: Download;
  /** Prints a result (never progress) on standard output, with a newline. */
  print(text: string): void;
  /** Prints a result as JSON on standard output. */
  printJson(value: unknown): void;
}

/** What `lab/commands/<verb>.ts` exports as `run<Verb>`. Returns the exit code; throws LabError. */
export type RunVerb = (context: Context, words: readonly string[], flags: Flags) => Promise<number>;

// zx takes longer to load than `lab list` takes to answer; verbs that start no program never load it.
const runCommandLazily: RunCommand = async (program, args, options) => {
  const { runCommand } = await import('../drivers/command.ts');
  return runCommand(program, args, options);
};

/**
 * Builds the context of one command.
 *
 * State lies in $WHODUNIT_HOME, else `<project>/.lab`; the cache in $WHODUNIT_CACHE, else `<state>/cache`.
 */
export function createContext(signal: AbortSignal, env: NodeJS.ProcessEnv = process.env): Context {
  const projectDir = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const stateDir = resolve(env.WHODUNIT_HOME ?? join(projectDir, '.lab'));
  return {
    run: (program, args, options) => runCommandLazily(program, args, { signal, ...options }),
    clock: systemClock,
    waitFor: createWaitFor(systemClock, signal),
    isProcessAlive,
    progress: createProgress(systemClock),
    signal,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    projectDir,
    stateDir,
    cacheDir: resolve(env.WHODUNIT_CACHE ?? join(stateDir, 'cache')),
    // Loaded when something is downloaded: most verbs never do.
    download: async (url, file, options) =>
      (await import('../drivers/download.ts')).downloadFile(url, file, options),
    print: (text) => void process.stdout.write(`${text}\n`),
    printJson: (value) => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`),
  };
}
