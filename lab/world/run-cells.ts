import { appendLine, writeJsonAtomic } from '../drivers/files.ts';
import { readCellFolder } from '../drivers/cell-folder.ts';
import { apiErrorText } from '../drivers/kubernetes.ts';
import { readEvidence } from '../evidence/read-evidence.ts';
import { judgeCell } from '../judge/judge-cell.ts';
import { variantName } from '../model/axes.ts';
import type { PlannedCell } from '../plan/plan-cells.ts';
import type { CellResult, RunEvent } from '../model/formats.ts';
import { runPaths, statePaths } from '../model/paths.ts';
import { bringUp } from './bring-up.ts';
import { runCell, type CellRun } from './cell.ts';
import type { Lab } from './lab.ts';
import { stepClock } from './health-gate.ts';
import { restoreWorld } from './restore.ts';
import { unseenResult } from './unseen-cell.ts';
import { closeWorld, type World } from './world.ts';

/** A run in progress. */
interface Run {
  readonly lab: Lab;
  readonly dir: string;
  emit(event: Omit<RunEvent, 'at'>): void;
  finish(result: CellResult): void;
}

/**
 * Runs cells world by world, in the order given, and calls back with each result as soon as it is known. A world
 * that does not come up makes its cells inconclusive; an interrupt makes the remaining cells interrupted.
 */
export async function runCells(
  lab: Lab,
  runDir: string,
  cells: readonly PlannedCell[],
  onResult: (result: CellResult) => void,
): Promise<void> {
  const done = new Set<string>();
  const run: Run = {
    lab,
    dir: runDir,
    emit: (event) =>
      appendLine(
        runPaths(runDir).events,
        JSON.stringify({ at: new Date(lab.host.clock.now()).toISOString(), ...event }),
      ),
    finish: (result) => {
      done.add(result.address);
      writeJsonAtomic(runPaths(runDir).cell(result.address).result, result);
      run.emit({ event: 'cell-judged', address: result.address, verdict: result.verdict });
      onResult(result);
    },
  };
  run.emit({ event: 'run-started', detail: `${cells.length} cells` });
  for (const group of groupByWorld(cells)) {
    if (lab.host.signal.aborted) break;
    await runGroup(run, group);
  }
  for (const cell of cells) {
    if (!done.has(cell.address))
      run.finish(unseenResult(runDir, cell, 'interrupted', 'the run was interrupted before this cell'));
  }
  run.emit({ event: 'run-ended' });
}

function groupByWorld(cells: readonly PlannedCell[]): PlannedCell[][] {
  const groups = new Map<string, PlannedCell[]>();
  for (const cell of cells) {
    const name = variantName(cell.variant);
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  return [...groups.values()];
}

async function runGroup(run: Run, group: readonly PlannedCell[]): Promise<void> {
  const { lab } = run;
  const first = group[0];
  if (first === undefined) return;
  const name = variantName(first.variant);
  run.emit({ event: 'world-started', world: name });
  let world: World;
  try {
    const up = await bringUp(lab, first.variant, { keep: false });
    world = up.world;
    run.emit({ event: 'world-ready', world: name, detail: up.how });
  } catch (error) {
    if (lab.host.signal.aborted) return;
    await lab.undo.run(lab.host.progress);
    for (const cell of group)
      run.finish(
        unseenResult(run.dir, cell, 'inconclusive', `its world did not come up: ${apiErrorText(error)}`),
      );
    lab.host.progress.note(apiErrorText(error));
    return;
  }
  for (const cell of group) {
    if (lab.host.signal.aborted) break;
    world = await lab.host.progress.step(cell.address, (update) => runOne(run, world, cell, update));
  }
  closeWorld(world);
}

/** Runs one cell; returns the world it left (another connection after a restore). */
async function runOne(
  run: Run,
  before: World,
  cell: PlannedCell,
  update: (detail: string) => void,
): Promise<World> {
  const { lab } = run;
  const { clock } = lab.host;
  const startedAt = clock.now();
  run.emit({ event: 'cell-started', address: cell.address });
  let world = before;
  try {
    update('restoring');
    if (world.pristine) await Promise.all(world.guests.map((guest) => stepClock(lab.host, guest)));
    else world = await restoreWorld(lab, world.record, world);
  } catch (error) {
    const verdict = lab.host.signal.aborted ? 'interrupted' : 'inconclusive';
    run.finish(
      unseenResult(run.dir, cell, verdict, `the world could not be restored: ${apiErrorText(error)}`),
    );
    return world;
  }
  const restoreMs = clock.now() - startedAt;
  run.emit({ event: 'cell-restored', address: cell.address });
  const paths = runPaths(run.dir).cell(cell.address);
  const ran = await runCell(lab.host, world, cell, paths.dir, (event, detail) => {
    update(detail);
    run.emit({ event, address: cell.address, detail });
  });
  run.finish(judgeRun(run, cell, ran, { startedAt, restoreMs }));
  appendLine(
    statePaths(lab.host.stateDir).timings,
    JSON.stringify({
      kind: 'cell',
      name: cell.scenario.scenario.name,
      seconds: (clock.now() - startedAt) / 1000,
    }),
  );
  return world;
}

/** Judges a cell from the evidence that was saved, as it would be judged again offline. */
function judgeRun(
  run: Run,
  cell: PlannedCell,
  ran: CellRun,
  spent: { startedAt: number; restoreMs: number },
): CellResult {
  const { clock } = run.lab.host;
  const judgeStart = clock.now();
  const observations = readEvidence(readCellFolder(runPaths(run.dir).cell(cell.address).dir), ran.record);
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
    evidence: runPaths(run.dir).cellRelative(cell.address),
    ...(judged.note === undefined ? {} : { note: judged.note }),
  };
}
