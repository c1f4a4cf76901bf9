import { join } from 'node:path';
import { appendLine, writeJsonAtomic } from '../../drivers/files.ts';
import { openCellFolder } from '../../drivers/cell-folder.ts';
import { apiErrorText } from '../../drivers/kubernetes.ts';
import { nameProgress } from '../../drivers/progress.ts';
import { createUndo } from '../../drivers/undo.ts';
import { readEvidence } from '../../evidence/read-evidence.ts';
import { combineAttempts } from '../../judge/attempts.ts';
import { judgeCell } from '../../judge/judge-cell.ts';
import type { Variant } from '../../model/axes.ts';
import { DeclaredStartFailure } from '../../model/errors.ts';
import type { CellResult, RunEvent } from '../../model/formats.ts';
import type { Verdict } from '../../model/killers.ts';
import { cellPaths, runPaths, statePaths } from '../../model/paths.ts';
import type { PlannedCell } from '../../plan/plan-cells.ts';
import type { Demand } from './admission.ts';
import { bringUp, type BroughtUp } from '../build/bring-up.ts';
import { runCell, type CellRun } from '../cell/cell.ts';
import { refreshGuest } from '../restore/health/refresh-guest.ts';
import type { Lab } from '../lab.ts';
import { restoreWorld } from '../restore/restore.ts';
import type { Turn } from './schedule.ts';
import { declaredResult, unseenResult } from './unseen-cell.ts';
import { closeWorld, type ReportWorld, type World } from '../world.ts';

/** A run in progress. */
export interface Run {
  readonly lab: Lab;
  readonly dir: string;
  readonly turn: Turn;
  emit(event: Omit<RunEvent, 'at'>): void;
  finish(result: CellResult): void;
}

/** The cells of one world. */
export interface Group {
  readonly demand: Demand;
  readonly variant: Variant;
  readonly cells: readonly PlannedCell[];
}

/** Gives up the cells of a world that cannot be had. */
export function giveUp(run: Run, group: Group, why: string): void {
  const { name } = group.demand;
  run.emit({ event: 'world-failed', world: name, detail: why });
  run.lab.host.progress.note(`world ${name}: ${why}`);
  for (const cell of group.cells) {
    run.finish(unseenResult(run.dir, cell, 'inconclusive', `its world did not come up: ${why}`));
  }
}

/**
 * Brings the world of a group up and runs its cells in it, one after the other.
 *
 * @param named whether progress tells which world it is about: several run at once.
 */
export async function runGroup(run: Run, group: Group, named: boolean): Promise<void> {
  const { name } = group.demand;
  const { host } = run.lab;
  // What is half-built is undone for this world alone; the others go on.
  const lab: Lab = {
    ...run.lab,
    undo: createUndo(host.clock),
    host: named ? { ...host, progress: nameProgress(host.progress, name) } : host,
  };
  run.emit({ event: 'world-started', world: name });
  const report: ReportWorld = (event, detail) => run.emit({ event, world: name, detail });
  let up: BroughtUp;
  try {
    up = await bringUp(lab, group.variant, { keep: false, report, turn: run.turn });
  } catch (error) {
    await lab.undo.run(lab.host.progress);
    if (host.signal.aborted) return;
    if (error instanceof DeclaredStartFailure) {
      run.emit({ event: 'world-failed', world: name, detail: error.message });
      for (const cell of group.cells) run.finish(declaredResult(cell, error));
    } else giveUp(run, group, apiErrorText(error));
    return;
  }
  run.emit({ event: 'world-ready', world: name, detail: up.how });
  const seat: Seat = { lab, report, world: up.world, rebuilt: up.how === 'rebuilt', lost: undefined };
  for (const cell of group.cells) {
    if (host.signal.aborted) break;
    await lab.host.progress.step(
      cell.scenario.scenario.name,
      (update) => runOne(run, seat, cell, update),
      (verdict) => (verdict === 'passed' ? '✓' : `✗ ${verdict}:`),
    );
  }
  if (seat.lost === undefined) closeWorld(seat.world);
}

/** The world that the cells of a group get, one after the other. */
interface Seat {
  readonly lab: Lab;
  readonly report: ReportWorld;
  world: World;
  /** Whether it was built again in this run because it was not healthy. */
  rebuilt: boolean;
  /** Why there is no world any more. */
  lost: string | undefined;
}

/** Makes the world of a group pristine: restored, once more, or built again once. Throws when none of it helps. */
async function refreshWorld(run: Run, seat: Seat, cell: PlannedCell): Promise<void> {
  const { lab, world, report } = seat;
  if (world.pristine) {
    await Promise.all(world.guests.map((guest) => refreshGuest(lab.host, guest)));
    return;
  }
  try {
    seat.world = await restoreWorld(lab, world.record, { previous: world, report });
  } catch (error) {
    if (lab.host.signal.aborted || seat.rebuilt) throw error;
    report('world-rebuilt', (error as Error).message);
    seat.rebuilt = true;
    seat.world = await rebuildWorld(run, seat, cell);
  }
}

async function rebuildWorld(run: Run, { lab, report }: Seat, cell: PlannedCell): Promise<World> {
  try {
    return (await bringUp(lab, cell.variant, { keep: false, fresh: true, report, turn: run.turn })).world;
  } catch (error) {
    await lab.undo.run(lab.host.progress);
    throw error;
  }
}

/** Where the evidence of one run of a cell lies. */
interface Place {
  readonly dir: string;
  /** Relative to the run folder. */
  readonly relative: string;
}

/** Runs a cell as often as its scenario says, each time in a restored world, and gives it one result: its verdict. */
async function runOne(
  run: Run,
  seat: Seat,
  cell: PlannedCell,
  update: (detail: string) => void,
): Promise<Verdict> {
  const { repeat, tolerate } = cell.scenario.scenario;
  const paths = runPaths(run.dir);
  const place = { dir: paths.cell(cell.address).dir, relative: paths.cellRelative(cell.address) };
  if (repeat === 1) {
    return finish(run, await runAttempt(run, seat, cell, update, place));
  }
  const results: CellResult[] = [];
  for (let index = 1; index <= repeat; index += 1) {
    const name = `run-${index}`;
    const own = { dir: join(place.dir, name), relative: join(place.relative, name) };
    const tell = (detail: string): void => update(`run ${index} of ${repeat}: ${detail}`);
    const result = seat.lab.host.signal.aborted
      ? unseenResult(run.dir, cell, 'interrupted', 'interrupted before this run')
      : await runAttempt(run, seat, cell, tell, own);
    writeJsonAtomic(cellPaths(own.dir).result, result);
    results.push(result);
  }
  return finish(run, combineAttempts(results, tolerate));
}

function finish(run: Run, result: CellResult): Verdict {
  run.finish(result);
  return result.verdict;
}

async function runAttempt(
  run: Run,
  seat: Seat,
  cell: PlannedCell,
  update: (detail: string) => void,
  place: Place,
): Promise<CellResult> {
  const { host } = seat.lab;
  const { clock } = host;
  const startedAt = clock.now();
  if (seat.lost !== undefined) return unseenResult(run.dir, cell, 'inconclusive', seat.lost);
  run.emit({ event: 'cell-started', address: cell.address });
  try {
    update('restoring');
    await refreshWorld(run, seat, cell);
  } catch (error) {
    seat.lost = `the world could not be restored: ${apiErrorText(error)}`;
    const verdict = host.signal.aborted ? 'interrupted' : 'inconclusive';
    if (verdict === 'inconclusive') seat.report('world-failed', seat.lost);
    return unseenResult(run.dir, cell, verdict, seat.lost);
  }
  const restoreMs = clock.now() - startedAt;
  run.emit({ event: 'cell-restored', address: cell.address });
  const ran = await runCell(host, seat.world, cell, place.dir, (event, detail) => {
    update(detail);
    run.emit({ event, address: cell.address, detail });
  });
  const result = judgeRun(run, cell, ran, place, { startedAt, restoreMs });
  // Estimates are made of it, and one that was cut short says nothing about the next.
  if (result.verdict !== 'interrupted') {
    const seconds = (clock.now() - startedAt) / 1000;
    const timing = { kind: 'cell', name: cell.scenario.scenario.name, seconds };
    appendLine(statePaths(host.stateDir).timings, JSON.stringify(timing));
  }
  return result;
}

/** Judges a cell from the evidence that was saved, as it would be judged again offline. */
function judgeRun(
  run: Run,
  cell: PlannedCell,
  ran: CellRun,
  place: Place,
  spent: { startedAt: number; restoreMs: number },
): CellResult {
  const { clock } = run.lab.host;
  const judgeStart = clock.now();
  const observations = readEvidence(openCellFolder(place.dir), ran.record);
  const judged = judgeCell(ran.record, observations);
  return {
    address: cell.address,
    variant: cell.variant,
    scenario: cell.scenario.scenario.name,
    verdict: judged.verdict,
    expected: { ...ran.record.expected },
    attribution: judged.attribution,
    claims: judged.claims,
    mismatches: judged.mismatches,
    timings: {
      restoreMs: spent.restoreMs,
      deployMs: ran.deployMs,
      observeMs: ran.observeMs,
      collectMs: ran.collectMs,
      verdictMs: clock.now() - judgeStart,
      totalMs: clock.now() - spent.startedAt,
    },
    evidence: place.relative,
    ...(judged.note === undefined ? {} : { note: judged.note }),
  };
}
