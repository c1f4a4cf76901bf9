import { findStamp, listFolder, readLines, writeTextAtomic } from '../../drivers/files/files.ts';
import { isUnreadable } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { pastRunSchema, READING, type PastCell, type PastRun } from '../../model/saved/history.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Context } from '../context/context.ts';
import { readRun, type SavedRun } from './find-run.ts';
import { spellSavedCell } from './spell-cell.ts';

/**
 * Returns the results of all saved runs. `history.jsonl` is an index of the run folders: a run is read from it as long
 * as its `result.json` has the same size and time. All other runs are read from their folders, and the index is written
 * again.
 *
 * @param skip is called for each run that cannot be read. By default standard error names that run.
 */
export function readPastRuns(
  { stateDir, progress }: Pick<Context, 'stateDir' | 'progress'>,
  skip = (text: string): void => progress.note(text),
): PastRun[] {
  const state = statePaths(stateDir);
  const lines = readLines(state.history);
  const known = new Map(lines.flatMap(parsePastRun).map((past) => [past.run, past]));
  const runs = listFolder(state.runs).flatMap((id): PastRun[] => {
    try {
      const stamp = findStamp(state.run(id).result);
      if (stamp === undefined) return []; // it crashed, or has just begun
      const indexed = known.get(id);
      if (indexed?.stamp === stamp) return [indexed];
      return [pastRunOf(id, stamp, readRun(stateDir, id))];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      skip(`run ${id} is skipped: ${error.message}`);
      return [];
    }
  });
  const text = runs.map((past) => `${JSON.stringify(past)}\n`).join('');
  if (text !== lines.map((line) => `${line}\n`).join('')) saveIndex({ progress }, state.history, text);
  return runs;
}

/** Saves the index. A failure is only noted, because the index is only there to save time. */
function saveIndex({ progress }: Pick<Context, 'progress'>, path: string, text: string): void {
  try {
    writeTextAtomic(path, text);
  } catch (error) {
    progress.note(`the index of runs was not saved: ${(error as Error).message}`);
  }
}

function parsePastRun(line: string): PastRun[] {
  const parsed = pastRunSchema.safeParse(tryParseJson(line));
  return parsed.success ? [parsed.data] : [];
}

function pastRunOf(run: string, stamp: string, { paths, result: { startedAt, cells } }: SavedRun): PastRun {
  return {
    formatVersion: FORMAT_VERSION,
    reading: READING,
    run,
    stamp,
    startedAt,
    cells: cells.map((cell) => pastCellOf(spellSavedCell(paths.dir, cell))),
  };
}

function pastCellOf({ address, scenario, verdict, attribution, timings, rate }: CellResult): PastCell {
  const { killer, level } = attribution;
  return {
    address,
    scenario,
    verdict,
    killer,
    level,
    totalMs: timings.totalMs,
    passed: rate?.passed,
    of: rate?.of,
  };
}
