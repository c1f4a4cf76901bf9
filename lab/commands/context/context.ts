import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import pico from 'picocolors';
import { createEntryLocks } from '../../drivers/claims/file-lock.ts';
import { createWaitFor, systemClock } from '../../drivers/clock.ts';
import type { Hold } from '../../drivers/processes/interrupts.ts';
import { isProcessAlive } from '../../drivers/processes/liveness.mjs';
import { createProgress } from '../../drivers/progress/progress.ts';
import { createStderrSink, hasColours } from '../../drivers/progress/progress-display.ts';
import { findOwnProject } from '../../drivers/project/find-project.ts';
import { PROJECT_DIR } from '../../drivers/project/project-dir.ts';
import type { Download } from '../../model/components/components.ts';
import type { Environment } from '../../model/host/environment.ts';
import type { Host, RunCommand } from '../../model/host/host.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { cachePaths } from '../../model/host/paths.ts';
import type { RemoteCache } from '../../model/host/remote-cache.ts';
import { disarmText } from '../../model/text/log-commands.ts';
import { plainJson, plainText } from '../../model/text/plain-text.ts';
import { fitLine } from '../../report/text/page-rows.ts';
import { paintLine } from '../../report/text/paint-page.ts';
import { findCommandName, spellCommands } from './command-name.ts';
import type { VerbAnswer } from './answer.ts';
import type { Flags } from './flags.ts';

/** The two places in which GitHub Actions reads what this program writes. */
interface Github {
  /** The file for the summary of the step. */
  readonly summaryFile?: string;
  /** Prints a workflow command. Nothing else that this program prints is one. */
  printCommand(command: string): void;
}

/** What every verb receives: the host, and the way to answer on standard output. */
export interface Context extends Host {
  /** Saves the answer of a URL to a file. */
  readonly download: Download;
  /** Whether only programs that components.lock.yaml pins may be used (`--locked`). */
  readonly locked?: boolean;
  /** The words and the values of flags that a person has typed. Only these may name local builds outside of the project. */
  readonly typed?: readonly string[];
  /** Why the project cannot be used that `--project` names, or that the working directory is in. */
  readonly projectFault?: UsageError | undefined;
  /** GitHub Actions, if it runs this process. */
  readonly github: Github | undefined;
  /** Makes an interrupt fire `signal` until the returned function is called. At any other time it ends the process. */
  readonly hold: Hold;
  /** The environment that this program was started in. */
  readonly env: Environment;
  /** Prints a result (never progress) on standard output, with a newline. */
  print(text: string): void;
  /** Prints a page of a result: with colours and fitted to the terminal, and as it is where there is none. */
  printPage(text: string): void;
  /** Prints a table of a result: with colours, and with every row in one line. */
  printTable(text: string): void;
  /** Prints a result as JSON on standard output. */
  printJson(value: unknown): void;
}

/** What `lab/commands/verbs/<verb>.ts` exports as `run<Verb>`. Throws LabError. */
export type RunVerb = (context: Context, words: readonly string[], flags: Flags) => Promise<VerbAnswer>;

// zx takes longer to load than `whodunit list` takes to answer; verbs that start no program never load it.
const runCommandLazily: RunCommand = async (program, args, options) => {
  const { runCommand } = await import('../../drivers/programs/command.ts');
  return runCommand(program, args, options);
};

/**
 * Creates the downloader of this process, which remembers the hosts that do not answer. Its code is loaded at the first
 * download.
 */
function downloadLazily(): Download {
  let downloader: Promise<Download> | undefined;
  return async (...request) => {
    downloader ??= import('../../drivers/network/download.ts').then(({ createDownload }) => createDownload());
    return (await downloader)(...request);
  };
}

/** Opens the remote cache that the environment names. Its code is loaded at the first call. */
function openRemoteLazily(cacheDir: string, env: Environment, run: RunCommand): Context['openRemote'] {
  const address = env.WHODUNIT_REMOTE_CACHE;
  if (address === undefined || address === '') return () => Promise.resolve(undefined);
  let opened: Promise<RemoteCache> | undefined;
  return () =>
    (opened ??= import('../../drivers/remote/remote-cache.ts').then(({ openRemoteCache }) =>
      openRemoteCache(address, { run, env, transfers: cachePaths(cacheDir).transfers }),
    ));
}

/**
 * Spells the commands of a text as this process was called.
 *
 * @param project the value of `--project`, if there is such a project.
 */
export function createSpeller(env: Environment = process.env, project?: string): (text: string) => string {
  const name = findCommandName(env, process.argv[1]);
  return (text) => spellCommands(text, name, project);
}

/** Whether npm installed this copy of the project: then its folder is replaced by the next install. */
export function isInstalled(projectDir: string): boolean {
  return projectDir.split(sep).includes('node_modules');
}

/**
 * Returns the folder that all projects share: `.lab` in a clone, `~/.whodunit` of a whodunit that npm installed, whose own
 * folder the next install replaces.
 */
function findSharedDir(projectDir: string): string {
  return isInstalled(projectDir) ? join(homedir(), '.whodunit') : join(projectDir, '.lab');
}

/**
 * Returns the state folder ($WHODUNIT_HOME, else `.lab` of the project, else the shared folder) and the cache
 * ($WHODUNIT_CACHE, else below $WHODUNIT_HOME or the shared folder). Projects share the cache, because filling it takes
 * longest.
 *
 * @param ownDir the folder of the project that a person works in; undefined for whodunit itself.
 */
function findFolders(ownDir: string | undefined, env: Environment): Pick<Context, 'stateDir' | 'cacheDir'> {
  const shared = findSharedDir(PROJECT_DIR);
  const stateDir = resolve(env.WHODUNIT_HOME ?? (ownDir === undefined ? shared : join(ownDir, '.lab')));
  const cacheDir = resolve(env.WHODUNIT_CACHE ?? join(env.WHODUNIT_HOME ?? shared, 'cache'));
  return { stateDir, cacheDir };
}

/** Returns the project that a person works in, or why it cannot be used, which the command line reports. */
function findProject(flag: string | undefined, env: Environment): Pick<Context, 'ownDir' | 'projectFault'> {
  try {
    const named = { flag, variable: env.WHODUNIT_PROJECT };
    const uid = process.geteuid?.() ?? 0;
    return { ownDir: findOwnProject(named, { cwd: process.cwd(), uid, projectDir: PROJECT_DIR }) };
  } catch (error) {
    if (error instanceof UsageError) return { projectFault: error };
    throw error;
  }
}

/** For a process whose interrupts other code handles. */
const holdNothing: Hold = () => async () => undefined;

/**
 * Builds the context of one command.
 *
 * @param project the value of `--project`.
 */
export function createContext(
  signal: AbortSignal,
  env: Environment = process.env,
  hold: Hold = holdNothing,
  project?: string,
): Context {
  const found = findProject(project, env);
  const { stateDir, cacheDir } = findFolders(found.ownDir, env);
  const spell = createSpeller(env, found.projectFault === undefined ? project : undefined);
  const run: RunCommand = async (program, args, options) => {
    const release = hold();
    try {
      return await runCommandLazily(program, args, { signal, ...options });
    } finally {
      await release();
    }
  };
  return {
    run,
    hold,
    clock: systemClock,
    waitFor: createWaitFor(systemClock, signal),
    isProcessAlive,
    progress: createProgress(systemClock, createStderrSink(spell), env),
    signal,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    projectDir: PROJECT_DIR,
    ownDir: found.ownDir,
    projectFault: found.projectFault,
    stateDir,
    cacheDir,
    locks: createEntryLocks(signal),
    openRemote: openRemoteLazily(cacheDir, env, run),
    download: downloadLazily(),
    env,
    github: env.GITHUB_ACTIONS === 'true' ? describeGithub(env.GITHUB_STEP_SUMMARY) : undefined,
    print: (text) => void process.stdout.write(`${disarmText(spell(plainText(text)))}\n`),
    printPage: (text) => {
      const { isTTY, columns } = process.stdout;
      printLines(spell(plainText(text)), env, isTTY && columns > 0 ? columns : Infinity);
    },
    printTable: (text) => printLines(spell(plainText(text)), env, Infinity),
    printJson: (value) => void process.stdout.write(`${plainJson(JSON.stringify(value, null, 2))}\n`),
  };
}

/** Prints lines of at most this width on standard output, with colours where they are wanted. */
function printLines(text: string, env: Environment, width: number): void {
  const palette = pico.createColors(hasColours(process.stdout, env));
  const lines = text.split('\n').flatMap((line) => {
    const [first = '', ...more] = fitLine(line, width).map(disarmText);
    return [paintLine(first, palette), ...more];
  });
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeGithub(summaryFile: string | undefined): Github {
  // The runner reads standard error too.
  const printCommand = (command: string): void => void process.stderr.write(`${command}\n`);
  return summaryFile === undefined || summaryFile === '' ? { printCommand } : { printCommand, summaryFile };
}
