import type { ChildProcess } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listFolder, readLines } from '../../lab/drivers/files/files.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { UP } from './crash-plans.ts';
import type { Session } from '../bench/session.ts';
import { awaitEnd, explain, must, type Ended, type Engine, type Home } from './engine.ts';
import { findLeftovers, findLeftoversHere } from './leftovers.ts';
import { endsWell, homeOf } from './machines.ts';

/** The state of one process of a long run. */
export interface ProcessFigures {
  /** Cells that it had begun. */
  readonly cells: number;
  readonly residentMiB: number;
  /** Open files and connections. */
  readonly handles: number;
  /** Entries of its temporary folder. */
  readonly temporary: number;
}

/** A run of many cells in one process. */
export interface LongRun {
  readonly ms: number;
  /** In their order: after every so many cells. */
  readonly standings: readonly ProcessFigures[];
  /** What was wrong; empty: nothing. */
  readonly problems: readonly string[];
}

/** Runs of one cell: each has a restored world, evidence and a judgement of its own. */
const REPEAT = 100;
const LOOK_MS = 1000;
const MODEL = 'oom-single-container';

/**
 * Runs so many cells of a stand-in in one process, and looks at it after each tenth of them. More memory at the end
 * than half as much again as after the first fifth, or more handles, is called wrong.
 *
 * @param count cells, rounded up to hundreds.
 */
export async function runLong(engine: Engine, count: number): Promise<LongRun> {
  const home = engine.openHome('long-run');
  const names = Array.from({ length: Math.ceil(count / REPEAT) }, (_, index) =>
    addScenario(engine.project, `many-${String(index + 1).padStart(2, '0')}`),
  );
  await must(engine, home, UP);
  const { ms, standings, ended } = await watch(
    engine.start(home, ['run', ...names]),
    home,
    (names.length * REPEAT) / 10,
  );
  const problems = [
    ...explain('the run', ended, [3]),
    ...findGrowth(standings),
    ...explain('down', await engine.run(home, ['down', '--all'])),
    ...(await findLeftovers(engine, home)),
  ];
  return { ms, standings, problems };
}

/** Runs all staged deaths on a real machine in one process, and looks at it after every five cells. */
export async function runLongHere(session: Session): Promise<LongRun> {
  const home = homeOf(session);
  const { ms, standings, ended } = await watch(session.start(['run', 'set=deaths']), home, 5);
  const problems = [
    // 1: a death was not what is expected of it, which this page is not about.
    ...explain('the run', ended, [0, 1, 3]),
    ...findGrowth(standings),
    ...(await endsWell(session, ['down', '--all'])),
    ...(await findLeftoversHere(await session.lab(), home)),
  ];
  return { ms, standings, problems };
}

/** Looks at the process of a run after every so many cells, until it ends. */
async function watch(
  child: ChildProcess,
  home: Home,
  step: number,
): Promise<Pick<LongRun, 'ms' | 'standings'> & { readonly ended: Ended }> {
  const startedAt = performance.now();
  const end = awaitEnd(child);
  const standings: ProcessFigures[] = [];
  while (child.exitCode === null && child.signalCode === null) {
    const standing = lookAt(child.pid ?? 0, home);
    if (standing !== undefined && standing.cells >= (standings.length + 1) * step) standings.push(standing);
    await Promise.race([end, pause(LOOK_MS)]);
  }
  return { ms: performance.now() - startedAt, standings, ended: await end };
}

/** Adds a scenario that is run a hundred times, and returns its name. */
function addScenario(project: string, name: string): string {
  const folder = join(project, 'scenarios', name);
  cpSync(join(project, 'scenarios', MODEL), folder, { recursive: true });
  const file = join(folder, 'scenario.yaml');
  const text = readFileSync(file, 'utf8').replace(`name: ${MODEL}`, `name: ${name}\nrepeat: ${REPEAT}`);
  writeFileSync(file, text);
  return name;
}

/** The state of a process; undefined when it has ended, or no cell was begun. */
function lookAt(pid: number, { stateDir, temporary }: Home): ProcessFigures | undefined {
  const { runs, run } = statePaths(stateDir);
  const id = listFolder(runs).at(-1);
  if (id === undefined) return undefined;
  const cells = readLines(run(id).events).filter((line) => line.includes('"event":"cell-started"')).length;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cells,
      residentMiB: Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024),
      handles: readdirSync(`/proc/${pid}/fd`).length,
      temporary: readdirSync(temporary).length,
    };
  } catch {
    return undefined; // it has just ended
  }
}

/** What grew with the number of cells: its least of the second half, as a cell has connections of its own. Pure. */
export function findGrowth(standings: readonly ProcessFigures[]): string[] {
  const [, early] = standings;
  const half = standings.slice(Math.max(2, Math.ceil(standings.length / 2)));
  if (early === undefined || half.length === 0) return ['the run was too short to be looked at'];
  const leastOf = (name: keyof ProcessFigures): number => Math.min(...half.map((figures) => figures[name]));
  const late = {
    residentMiB: leastOf('residentMiB'),
    handles: leastOf('handles'),
    temporary: leastOf('temporary'),
  };
  const grew = (what: string, before: number, after: number, allowed: number): string[] =>
    after <= allowed ? [] : [`${what} grew from ${before} to ${after}`];
  return [
    ...grew('memory (MiB)', early.residentMiB, late.residentMiB, early.residentMiB * 1.5),
    ...grew('handles', early.handles, late.handles, early.handles + 5),
    ...grew('temporary files', early.temporary, late.temporary, early.temporary),
  ];
}
