import { join } from 'node:path';
import { findTextInside } from '../../drivers/files/inside.ts';
import { compareCells, compareRuns, type ComparedCell } from '../../judge/compare/compare-cells.ts';
import { isFlip } from '../../judge/compare/compare-judgements.ts';
import type { CellDiff, RunDiff } from '../../model/saved/diff.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { tryParseJson } from '../../model/files/parse-json.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { renderCellDiff, renderRunDiff } from '../../report/terminal/render-diff.ts';
import type { Context, RunVerb } from '../context/context.ts';
import { findRunIds } from '../saved/find-cells.ts';
import { addressOf, getCellOfRun, getRun, type SavedRun } from '../saved/find-run.ts';
import { refuseRunFlag } from '../saved/refuse-run-flag.ts';
import type { Flags } from '../context/flags.ts';

/** Far more than the some kB of a record next to a cell. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** `whodunit diff <one> <other> [address]`: compares two runs, or two cells. */
export const runDiff: RunVerb = async (context, words, flags) => {
  const diff = diffOf(context, words, flags);
  const hasFlips =
    diff.kind === 'cells'
      ? diff.changes.some((change) => change.part === 'judgement' && isFlip(change))
      : diff.flips.length > 0;
  return {
    status: hasFlips ? 'failed' : 'passed',
    json: diff,
    table: () => (diff.kind === 'cells' ? renderCellDiff(diff) : renderRunDiff(diff)),
  };
};

/**
 * Compares what words name: two runs; two runs and the address of a cell of both; or two addresses.
 *
 * @throws UsageError when a word names nothing that was saved.
 */
export function diffOf(
  context: Pick<Context, 'stateDir' | 'progress'>,
  words: readonly string[],
  flags: Pick<Flags, 'run'>,
): CellDiff | RunDiff {
  const [one, other, address] = words;
  if (one === undefined || other === undefined || words.length > 3)
    throw new UsageError('diff takes two runs, two runs and an address, or two addresses', {
      tryNext: 'npx whodunit help diff',
    });
  const runs = [one, other].map((word) => findRun(context, word));
  const [before, now] = runs;
  if (before !== undefined && now !== undefined) {
    refuseRunFlag(one, flags);
    if (address === undefined) return compareRuns(before.result, now.result);
    return compareCells(getCell(before, address), getCell(now, address));
  }
  if (before !== undefined || now !== undefined || address !== undefined) {
    const missing = [one, other].filter((_, index) => runs[index] === undefined);
    throw new UsageError(`there is no saved run ${missing.map((word) => `"${word}"`).join(' or ')}`, {
      tryNext: 'two runs, or two addresses: npx whodunit help diff',
    });
  }
  const cellOf = (word: string): ComparedCell => {
    const wanted = addressOf(word);
    return getCell(getRun(context, flags.run, wanted), wanted);
  };
  return compareCells(cellOf(one), cellOf(other));
}

/** Returns the run that a word names; undefined when it names none, so that it may be an address. */
function findRun(context: Pick<Context, 'stateDir' | 'progress'>, word: string): SavedRun | undefined {
  const [id, ...more] = findRunIds(context, word);
  if (more.length > 0)
    throw new UsageError(`several runs begin with "${word}"`, { tryNext: `more of the id: ${id}, …` });
  return id === undefined ? undefined : getRun(context, id);
}

/** @throws UsageError when the run has no such cell. */
function getCell(run: SavedRun, word: string): ComparedCell {
  const cell = getCellOfRun(run, addressOf(word));
  // A cell that a rule skipped has no folder; the folder of a cell that never began is empty.
  if (cell.evidence === '') return { run: run.result.run, cell };
  const read = (name: string): unknown => readSaved(run.paths.dir, join(cell.evidence, name));
  const files = cellPaths('');
  return { run: run.result.run, cell, effective: read(files.effective), origin: read(files.origin) };
}

/** @throws HostError LAB_STATE_FILE when a result names a folder outside of its run. */
function readSaved(runFolder: string, path: string): unknown {
  const text = findTextInside(runFolder, path, MAX_RECORD_BYTES);
  return text === undefined ? undefined : tryParseJson(text);
}
