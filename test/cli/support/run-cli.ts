import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** The root of the project. */
export const PROJECT = join(import.meta.dirname, '../../..');

/** How a program ended and what it printed. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command line in a state folder; extra environment comes on top of ours. */
export function runCli(home: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runProgram(process.execPath, [join(PROJECT, 'bin/whodunit.mjs'), ...words], {
    // Started by npm ourselves: its traces must not look like flags that npm ate.
    npm_lifecycle_event: undefined,
    WHODUNIT_HOME: home,
    // Where CI keeps its cache must not reach the tests' own state.
    WHODUNIT_CACHE: undefined,
    ...env,
  });
}

/** Runs a program, in the project unless a folder is named; its status is returned, never thrown. */
export function runProgram(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = PROJECT,
): Promise<Ended> {
  return new Promise((done) => {
    execFile(
      program,
      [...words],
      // A list of thousands of cells is more than the megabyte that is kept by default.
      { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
        done({ status, stdout, stderr });
      },
    );
  });
}
