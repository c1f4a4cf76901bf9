import { ensureFolder, writeJsonAtomic } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import { runPaths } from '../../model/host/paths.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { SavedPlan } from '../../model/saved/replay.ts';
import { toListResult } from '../../plan/cells/list-result.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { skippedResult } from '../../world/run/unseen-cell.ts';
import type { UnfinishedRun } from '../saved/resume-run.ts';

/** What is known of a run before its first cell is judged. */
export type RunHead = Omit<RunResult, 'totals' | 'cells'>;

/** The question of a run: selectors of a person, a bug, or a verdict that is tested. */
export type AskedRun = Pick<SavedPlan, 'words' | 'asked' | 'proves'>;

/** The result of a run, saved as it grows. */
export interface RunRecorder {
  /** Adds the result of a cell, and saves. */
  readonly add: (cell: CellResult) => void;
  /** Returns the result as it was saved last. */
  readonly result: () => RunResult;
}

/** What a recorder starts from. */
interface Recorded {
  readonly head: RunHead;
  readonly plan: Plan;
  readonly asked: AskedRun;
  /** The run that is resumed; absent for a new one. */
  readonly begun?: UnfinishedRun | undefined;
}

/** Prepares the folder of a run, and saves its result there after each cell, because a run may be killed at any time. */
export function recordRun(dir: string, { head, plan, asked, begun }: Recorded): RunRecorder {
  if (begun === undefined) saveNewPlan(dir, plan, asked);
  else removeHalfCells(dir, plan);
  const skipped = plan.skipped.map(skippedResult);
  const cells = [...(begun?.done ?? [])];
  let saved = saveResult(dir, begun?.result ?? head, [...cells, ...skipped]);
  return {
    add: (cell) => {
      cells.push(cell);
      saved = saveResult(dir, begun?.result ?? head, [...cells, ...skipped]);
    },
    result: () => saved,
  };
}

function saveNewPlan(dir: string, plan: Plan, asked: AskedRun): void {
  ensureFolder(dir);
  const saved: SavedPlan = { ...toListResult(plan), ...asked };
  writeJsonAtomic(runPaths(dir).plan, saved);
}

/** Removes the evidence of the cells that were interrupted: they are run again from the start. */
function removeHalfCells(dir: string, { cells }: Plan): void {
  for (const { address } of cells) removeBelow(dir, runPaths(dir).cell(address).dir);
}

/** Saves the result of a run, and returns it. */
export function saveResult(dir: string, head: RunHead, cells: CellResult[]): RunResult {
  const totals = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, cells.filter((cell) => cell.verdict === verdict).length]),
  ) as RunResult['totals'];
  const result: RunResult = { ...head, totals, cells };
  writeJsonAtomic(runPaths(dir).result, result);
  return result;
}
