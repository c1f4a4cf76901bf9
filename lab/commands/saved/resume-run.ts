import { isDeepStrictEqual } from 'node:util';
import { listFolder, pathExists } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { variantName } from '../../model/axes/axes.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { cellSchema, type CellResult, type RunResult } from '../../model/saved/formats.ts';
import { runPaths, statePaths } from '../../model/host/paths.ts';
import { plural } from '../../model/text/plural.ts';
import { savedPlanSchema, type SavedPlan } from '../../model/saved/replay.ts';
import { shellWord } from '../../model/text/shell.ts';
import type { Plan } from '../../plan/cells/plan-cells.ts';
import { isBuildWord } from '../../plan/variants/named-builds.ts';
import type { Context } from '../context/context.ts';
import { readRun } from './find-run.ts';
import { findRunId } from './run-id.ts';
import { findRunningProcess } from './run-state.ts';
import { requireSaved } from './saved-file.ts';
import { refuseSpelledOtherwise } from './spell-cell.ts';

/** A run that has not reached its end. */
export interface UnfinishedRun {
  readonly result: RunResult;
  /** The results of cells that were judged before it broke off. They are not run again. */
  readonly done: readonly CellResult[];
  /** The planned cells that were not judged. */
  readonly left: SavedPlan['cells'];
  /** The verdict that it tests; absent for most runs. */
  readonly proves?: SavedPlan['proves'];
  /** The failures that it was investigating; absent for most runs. */
  readonly investigates?: SavedPlan['investigates'];
}

type ResumeContext = Pick<Context, 'stateDir' | 'isProcessAlive'>;

/**
 * Finds the run that is resumed: the one that a word names (`findRunId`), else the newest. Its judged cells keep their
 * results; interrupted cells count as not judged.
 *
 * @param words the run, and local builds that may be used, as in the command that began the run.
 * @throws UsageError when there is no such run, when it is still running, when it belongs to a bug or was merged, or
 *   when the addresses of its cells mean other cells today; HostError LAB_STATE_FILE when it cannot be read.
 */
export function findUnfinishedRun(context: ResumeContext, words: readonly string[]): UnfinishedRun {
  const state = statePaths(context.stateDir);
  const ids = listFolder(state.runs).filter((id) => pathExists(state.run(id).plan));
  const [word = 'latest', ...others] = words;
  if (!others.every(isBuildWord))
    throw new UsageError('--resume takes one run and no selectors', {
      tryNext: 'npx whodunit run --resume',
    });
  const id = findRunId(ids, word);
  if (id === undefined)
    throw new UsageError(word === 'latest' ? 'there is no run to resume' : `there is no run "${word}"`, {
      tryNext: ids.length === 0 ? 'npx whodunit run' : 'npx whodunit runs',
    });
  const pid = findRunningProcess(context, id);
  if (pid !== undefined)
    throw new UsageError(`run ${id} is still running, as process ${pid}`, {
      tryNext: `npx whodunit events ${id} --follow`,
    });
  const plan = readPlan(context.stateDir, id);
  if (plan.asked !== undefined)
    throw new UsageError(`run ${id} belongs to a bug, and such a run cannot be resumed`, {
      tryNext: `npx whodunit repro ${shellWord(plan.asked.bug)}`,
    });
  const { paths, result } = readRun(context.stateDir, id);
  if (result.parts !== undefined)
    throw new UsageError(`run ${id} was merged from shards, and such a run cannot be resumed`, {
      tryNext: 'run the missing shards, then merge again: npx whodunit help merge',
    });
  const judged = new Map(result.cells.filter(isJudged).map((cell) => [cell.address, cell]));
  for (const { address } of plan.cells) {
    // The run may have been killed between the two files of a judgement.
    const cell = judged.has(address) ? undefined : findCellResult(context.stateDir, id, address);
    if (cell !== undefined && isJudged(cell)) judged.set(address, cell);
  }
  const left = plan.cells.filter(({ address }) => !judged.has(address));
  const worlds = new Set(left.map(({ variant }) => variantName(variant)));
  const beside = [...judged.values()].filter(({ variant }) => worlds.has(variantName(variant)));
  refuseSpelledOtherwise({ dir: paths.dir, id }, beside);
  return { result, done: [...judged.values()], left, proves: plan.proves, investigates: plan.investigates };
}

/**
 * Requires that the cells which are left mean today what they meant when the run was planned. Otherwise one run would
 * have two kinds of cells under one name.
 *
 * @throws UsageError naming those that have changed.
 */
export function refuseChanged({ result, left }: UnfinishedRun, plan: Plan): void {
  const now = new Map(plan.cells.map(({ address, variant }) => [address, { ...variant }]));
  const changed = left.filter(({ address, variant }) => !isDeepStrictEqual(now.get(address), variant));
  if (changed.length === 0) return;
  const names = changed.map(({ address }) => address);
  throw new UsageError(
    `${plural(changed.length, 'cell')} of run ${result.run} would differ from what was planned: ${names.join(', ')}`,
    { tryNext: `npx whodunit run ${left.map(({ address }) => shellWord(address)).join(' ')}` },
  );
}

/**
 * Refuses to resume a run that another lab has resumed while this one waited for the lock. To be called with the lock held.
 *
 * @throws UsageError when cells were judged since the run was found; and what `findUnfinishedRun` throws.
 */
export function refuseResumedMeanwhile(
  context: ResumeContext,
  { result: { run }, left }: UnfinishedRun,
): void {
  const now = findUnfinishedRun(context, [run]).left.length;
  if (now === left.length) return;
  const rest = now === 0 ? 'it is complete' : `${plural(now, 'cell')} of it ${now === 1 ? 'is' : 'are'} left`;
  throw new UsageError(`another lab has resumed run ${run} in the meantime: ${rest}`, {
    tryNext: now === 0 ? `npx whodunit report ${run}` : `npx whodunit run --resume ${run}`,
  });
}

/**
 * Checks whether a run may be resumed, once the lab has the lock and knows its host.
 *
 * @throws UsageError
 */
export function refuseResume(
  context: ResumeContext,
  begun: UnfinishedRun,
  here: Pick<RunResult, 'host' | 'accelerator'>,
): void {
  refuseResumedMeanwhile(context, begun);
  refuseOtherHost(begun.result, here);
}

/** Facts of the host in a result. They would be wrong if a part of the run was on another host. */
const HOST_FACTS = ['cpu', 'cpus', 'kernel', 'arch', 'node'] as const;

/** @throws UsageError when the run was started on another host: a result names only one. */
export function refuseOtherHost(
  begun: Pick<RunResult, 'run' | 'host' | 'accelerator'>,
  here: Pick<RunResult, 'host' | 'accelerator'>,
): void {
  const factsOf = ({ host, accelerator }: typeof here): RunResult['host'] => ({ ...host, accelerator });
  const [before, now] = [factsOf(begun), factsOf(here)];
  const other = [...HOST_FACTS, 'accelerator' as const].filter((name) => before[name] !== now[name]);
  if (other.length === 0) return;
  const changes = other.map(
    (name) => `${name} was ${before[name] ?? 'unknown'} and is ${now[name] ?? 'unknown'}`,
  );
  throw new UsageError(`run ${begun.run} was started on another host: ${changes.join(', ')}`, {
    tryNext: `npx whodunit run --resume ${begun.run} (on that host)`,
  });
}

function isJudged({ verdict }: CellResult): boolean {
  return verdict !== 'interrupted';
}

function readPlan(stateDir: string, id: string): SavedPlan {
  const { runs, run } = statePaths(stateDir);
  const path = run(id).plan;
  const file = { path, is: 'a plan', move: 'its folder' } as const;
  return requireSaved(file, savedPlanSchema, findJsonInside(runs, path) ?? null);
}

/** Returns the saved result of a cell; undefined when there is none, or none of this version. */
function findCellResult(stateDir: string, id: string, address: string): CellResult | undefined {
  const { runs, run } = statePaths(stateDir);
  const value = findJsonInside(runs, runPaths(run(id).dir).cell(address).result);
  return cellSchema.safeParse(value).data;
}
