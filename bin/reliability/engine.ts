import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from '../../lab/commands/line/command-line.ts';
import { createContext, type Context } from '../../lab/commands/context/context.ts';
import { exitCodeOf, formatError } from '../../lab/model/errors/errors.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { startStandInHost, type StandInHost } from '../../test/stand-in/host.ts';
import { prepareProject } from '../../test/stand-in/project.ts';
import { quietProgress } from '../../test/quiet-host.ts';

/** How a command ended. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** A state folder of a rehearsal; several may share a cache. */
export interface Home {
  readonly stateDir: string;
  readonly cacheDir: string;
  /** Its temporary folder: everything that stays there was forgotten. */
  readonly temporary: string;
}

/** The lab on a stand-in host. */
export interface Engine {
  /** The copy of the project that it runs. */
  readonly project: string;
  readonly host: StandInHost;
  /** @param root where state folder and cache are; default: next to the project. */
  openHome(name: string, root?: string): Home;
  /** Runs the command line in this process, as the command that follows a crash. */
  run(home: Home, words: readonly string[]): Promise<Ended>;
  /** Starts the command line as a process of its own, which somebody may kill. */
  start(home: Home, words: readonly string[]): ChildProcess;
  close(): Promise<void>;
}

/** The largest pid of Linux on 64 bits: nobody has it. */
const DEAD = 4194303;

/** Copies the project into a folder, and starts the stand-in host. */
export async function openEngine(folder: string): Promise<Engine> {
  const project = prepareProject(folder);
  const host = await startStandInHost(folder);
  const before = { ...process.env };
  Object.assign(process.env, host.env);
  const contextOf = (home: Home, print: (text: string) => void): Context => ({
    ...createContext(new AbortController().signal, {
      WHODUNIT_HOME: home.stateDir,
      WHODUNIT_CACHE: home.cacheDir,
    }),
    projectDir: project,
    progress: { ...quietProgress, note: (text: string) => print(`${text}\n`) },
    print,
    printPage: print,
    printTable: print,
    printJson: (value: unknown) => print(JSON.stringify(value)),
  });
  return {
    project,
    host,
    openHome: (name, root = folder) => {
      const temporary = join(folder, `${name}-tmp`);
      mkdirSync(temporary);
      return { stateDir: join(root, name), cacheDir: join(root, 'cache'), temporary };
    },
    run: async (home, words) => {
      process.env['TMPDIR'] = home.temporary;
      let output = '';
      const print = (text: string): void => void (output += text);
      let status;
      try {
        status = await runCommandLine(contextOf(home, print), words);
      } catch (error) {
        output += formatError(error);
        status = exitCodeOf(error);
      }
      forgetHolder(home);
      return { status, output };
    },
    start: (home, words) =>
      spawn(process.execPath, [join(project, 'bin/whodunit.mjs'), ...words], {
        env: {
          // Started by npm ourselves: its traces must not look like flags that npm ate.
          ...process.env,
          npm_lifecycle_event: undefined,
          WHODUNIT_HOME: home.stateDir,
          WHODUNIT_CACHE: home.cacheDir,
          TMPDIR: home.temporary,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    close: async () => {
      await host.close();
      for (const name of ['PATH', 'STAND_IN_PORT', 'TMPDIR']) process.env[name] = before[name];
    },
  };
}

/** What was leased in this process counts as leased by one that has ended, as it would be on a command line. */
function forgetHolder({ stateDir }: Home): void {
  const { leases } = statePaths(stateDir);
  if (!existsSync(leases)) return;
  const text = readFileSync(leases, 'utf8');
  writeFileSync(leases, text.replaceAll(`"holder":${process.pid},`, `"holder":${DEAD},`));
}

/** What a shell says of a command that a signal ended. */
const STATUS_OF_SIGNAL: Partial<Record<NodeJS.Signals, number>> = { SIGKILL: 137, SIGINT: 130 };

/** Waits for the end of a command; its status is 137 when it was killed. */
export async function awaitEnd(child: ChildProcess): Promise<Ended> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const killed = signal === null ? undefined : STATUS_OF_SIGNAL[signal];
  return { status: status ?? killed ?? 255, output };
}

/** Runs a command that has to end well: what is rehearsed rests on it. */
export async function must(engine: Engine, home: Home, words: readonly string[]): Promise<void> {
  const { status, output } = await engine.run(home, words);
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${output}`);
}

/** What was wrong with the end of a command; nothing when its status is a fine one. */
export function explain(what: string, { status, output }: Ended, fine: readonly number[] = [0]): string[] {
  return fine.includes(status) ? [] : [`${what} ended with ${status}: ${output.slice(-600)}`];
}
