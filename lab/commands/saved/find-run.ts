import { listFolder, pathExists } from '../../drivers/files/files.ts';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { isUnreadable, UsageError, type HostError } from '../../model/errors/errors.ts';
import { runResultSchema, type CellResult, type RunResult } from '../../model/saved/formats.ts';
import { findTrueAddress } from '../../model/host/true-address.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { runPaths, statePaths } from '../../model/host/paths.ts';
import type { Context } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { listRunIds } from './find-cells.ts';
import { findRunId } from './run-id.ts';
import { spellSavedCell } from './spell-cell.ts';
import { refuseSaved, requireSaved } from './saved-file.ts';

/** A saved run. */
export interface SavedRun {
  readonly paths: ReturnType<typeof runPaths>;
  readonly result: RunResult;
}

type RunContext = Pick<Context, 'stateDir' | 'progress'>;

/** A result of thousands of cells has some MB. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;
/** The most ids or addresses in an error. */
const MAX_SHOWN = 5;

/**
 * Returns the run that a word names (`findRunId`); without a word the newest with a result, or with an address the newest that
 * has this cell. A run that cannot be read is named on standard error and left out, unless it was asked for by its id.
 *
 * @throws UsageError when there is none, with the nearest name; HostError LAB_STATE_FILE when the run with this id
 *   cannot be read.
 */
export function getRun(context: RunContext, id: string | undefined, address?: string): SavedRun {
  const ids = listFinished(context.stateDir);
  const newest = ids.toReversed();
  // `latest` is the newest run, as for every verb: an older one is not taken in its place because it broke off.
  const wanted = id === undefined ? undefined : findRunId(id === 'latest' ? listRunIds(context) : ids, id);
  if (id !== undefined && (wanted === undefined || !ids.includes(wanted)))
    refuseUnfinished(context, id, newest[0]);
  if (ids.length === 0) throw new UsageError('there is no finished run yet', { tryNext: 'npx whodunit run' });
  if (id !== undefined && wanted === undefined)
    throw new UsageError(`there is no run "${id}"`, {
      tryNext: `one of: ${newest.slice(0, MAX_SHOWN).join(', ')}`,
    });
  const runs = wanted === undefined ? readAll(context, newest) : [readRun(context.stateDir, wanted)];
  const found = runs.find((run) => address === undefined || hasCell(run, address));
  if (found !== undefined) return found;
  if (runs.length === 0)
    throw new UsageError('there is no finished run that can be read', { tryNext: 'npx whodunit run' });
  const known = [...new Set(runs.flatMap((run) => run.result.cells.map((cell) => cell.address)))];
  const nearest = nearestName(address ?? '', known);
  const some = `${known.slice(0, MAX_SHOWN).join(', ')}${known.length > MAX_SHOWN ? ', …' : ''}`;
  throw new UsageError(
    `no ${wanted === undefined ? 'saved run has a cell' : `cell of run ${wanted} is`} called "${address}"`,
    {
      tryNext: nearest === undefined ? `one of: ${some}` : `did you mean ${nearest}?`,
    },
  );
}

/** @throws UsageError when the word names a run that has no result: it crashed, or still runs. */
function refuseUnfinished(context: RunContext, word: string, finished: string | undefined): void {
  const begun = findRunId(listRunIds(context), word);
  if (begun === undefined) return;
  const other = finished === undefined ? '' : `; the newest run with a result is ${finished}`;
  throw new UsageError(`run ${begun} has no result`, { tryNext: `npx whodunit events ${begun}${other}` });
}

/** Returns the ids of the runs that have a result. The others crashed, or are still running. */
function listFinished(stateDir: string): string[] {
  const state = statePaths(stateDir);
  return listFolder(state.runs).filter((id) => mayHaveResult(state.run(id).result));
}

/** Whether a result exists. One that may not be read counts, so that reading it says why. */
function mayHaveResult(path: string): boolean {
  try {
    return pathExists(path);
  } catch (error) {
    if (isUnreadable(error)) return true;
    throw error;
  }
}

/** A cell and the run that has it. */
export interface SavedCell {
  readonly run: SavedRun;
  readonly cell: CellResult;
}

/** The most runs in which earlier results are looked for. */
const MAX_EARLIER = 50;

/**
 * Finds for each of these addresses the last result before a run that was neither skipped nor interrupted. Cells are
 * found by the address that they have today. Runs that cannot be read are left out.
 */
export function findEarlierCells(
  context: RunContext,
  { result }: SavedRun,
  addresses: readonly string[],
): Map<string, SavedCell> {
  const wanted = new Set(addresses);
  const found = new Map<string, SavedCell>();
  // Ids sort by time (lab/drivers/run-id.ts).
  const earlier = listFinished(context.stateDir).filter((id) => id < result.run);
  for (const id of earlier.reverse().slice(0, MAX_EARLIER)) {
    if (wanted.size === 0) break;
    for (const run of tryRead(context, id)) {
      for (const cell of run.result.cells) {
        if (cell.verdict === 'skipped' || cell.verdict === 'interrupted') continue;
        const { address } = spellSavedCell(run.paths.dir, cell);
        if (wanted.delete(address)) found.set(address, { run, cell });
      }
    }
  }
  return found;
}

/** Reads runs, newest first, and leaves out those that cannot be read. */
function readAll(context: RunContext, ids: readonly string[]): SavedRun[] {
  return ids
    .flatMap((id) => tryRead(context, id))
    .sort((a, b) => (a.result.startedAt < b.result.startedAt ? 1 : -1));
}

/** Reads a run; returns nothing when it cannot be read, and says so on standard error. */
function tryRead({ stateDir, progress }: RunContext, id: string): SavedRun[] {
  try {
    return [readRun(stateDir, id)];
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const seen = (error.lastSeen ?? 'no detail').replaceAll(/\s+/g, ' ');
    progress.note(`run ${id} is skipped: ${error.message} (${seen})`);
    return [];
  }
}

/**
 * Reads a run below `runs/`.
 *
 * @throws HostError LAB_STATE_FILE when its result is not of this version, or is a link to another place.
 */
export function readRun(stateDir: string, id: string): SavedRun {
  const { runs, run } = statePaths(stateDir);
  const saved = readRunFolder(run(id).dir, runs);
  if (saved.result.run !== id)
    throw refuseSaved(
      { path: saved.paths.result, is: 'a result', move: 'its folder' },
      `run: expected ${id}, as its folder is called, received ${JSON.stringify(saved.result.run)}`,
    );
  return saved;
}

/**
 * Reads the run in a folder that a person has named.
 *
 * @throws UsageError when there is none; HostError like `readRunFolder`.
 */
export function readNamedRun(dir: string): SavedRun {
  if (!pathExists(runPaths(dir).result))
    throw new UsageError(`${spellPath(dir)} is not the folder of a run: it has no result.json`, {
      tryNext: 'npx whodunit runs lists the runs; an id of one can be named, too',
    });
  return readRunFolder(dir);
}

/**
 * Reads a run in any folder.
 *
 * @param root the folder that it must be in.
 * @throws HostError LAB_STATE_FILE when its result is not of this version, or is a link to another place.
 */
export function readRunFolder(dir: string, root: string = dir): SavedRun {
  const paths = runPaths(dir);
  // A run may come from somebody else: its result may be a link to any file.
  const value = findJsonInside(root, paths.result, MAX_RESULT_BYTES) ?? null;
  return { paths, result: checkResult(paths.result, value) };
}

/** Returns a result if its fields do not contradict each other. */
function checkResult(path: string, value: unknown): RunResult {
  const file = { path, is: 'a result', move: 'its folder' } as const;
  const result = requireSaved(file, runResultSchema, value);
  const { totals, cells } = result;
  for (const verdict of VERDICTS) {
    const count = cells.filter((cell) => cell.verdict === verdict).length;
    if (totals[verdict] !== count)
      throw refuseSaved(
        file,
        `totals.${verdict}: expected ${count}, as many as cells say so, received ${totals[verdict]}`,
      );
  }
  const known = new Set<string>();
  for (const [index, cell] of cells.entries()) {
    const { address } = cell;
    const refuse = (field: string, expected: string, received: string): HostError =>
      refuseSaved(
        file,
        `cells.${index}.${field}: expected ${expected}, received ${JSON.stringify(received)}`,
      );
    const expected = findTrueAddress(cell);
    if (expected !== undefined)
      throw refuse('address', `${expected}, by its variant, scenario and parameters`, address);
    if (known.has(address)) throw refuse('address', 'each cell once', address);
    known.add(address);
  }
  return result;
}

/** Returns the address that a word means: a scenario without a variant is on the default variant. */
export function addressOf(word: string): string {
  return word.includes('/') ? word : `default/${word}`;
}

/** @throws UsageError when the run does not have the cell. */
export function getCellOfRun({ result: { run, cells } }: SavedRun, address: string): CellResult {
  const cell = cells.find((saved) => saved.address === address);
  if (cell !== undefined) return cell;
  throw new UsageError(`run ${run} has no cell "${address}"`, { tryNext: `npx whodunit report ${run}` });
}

function hasCell(run: SavedRun, address: string): boolean {
  return run.result.cells.some((cell) => cell.address === address);
}
