import { resolve } from 'node:path';
import { findCellFolders } from '../drivers/cell-folder.ts';
import { readJson } from '../drivers/files.ts';
import { compareJudgements } from '../judge/compare-results.ts';
import { explainCell, shortenPaths } from '../judge/explain.ts';
import { UsageError } from '../model/errors.ts';
import { cellSchema, FORMAT_VERSION, type CellResult, type Rejudged } from '../model/formats.ts';
import type { CellRecord } from '../model/observation.ts';
import { cellPaths } from '../model/paths.ts';
import type { RunVerb } from './context.ts';
import { judgeFolder } from './judge-folder.ts';
import { spellPath } from './spell-path.ts';

interface Rejudgement {
  readonly cell: Rejudged['cells'][number];
  readonly record: CellRecord;
}

/** `lab judge <folder>`: judges the saved evidence of a run, or of one cell, again; says what changed since. */
export const runJudge: RunVerb = (context, words, flags) => {
  const [word = ''] = words;
  const folders = findCellFolders(resolve(word));
  if (folders.length === 0)
    throw new UsageError(`no cell was saved in "${word}"`, {
      tryNext: 'name a run (.lab/runs/<id>) or a folder that has a cell.json',
    });
  const rejudged = folders.map(rejudge);
  const cells = rejudged.map((each) => each.cell);
  if (flags.json === true) context.printJson({ formatVersion: FORMAT_VERSION, cells } satisfies Rejudged);
  else context.print(rejudged.map(render).join('\n\n'));
  return Promise.resolve(cells.some((cell) => (cell.changed ?? []).length > 0) ? 1 : 0);
};

function rejudge(folder: string): Rejudgement {
  const { record, now } = judgeFolder(folder);
  const saved = cellSchema.safeParse(readJson(cellPaths(folder).result));
  const cell = {
    folder: spellPath(folder),
    address: record.address,
    ...now,
    ...(saved.success ? { changed: compareJudgements(saved.data, now) } : {}),
  };
  return { cell, record };
}

function render({ cell, record }: Rejudgement): string {
  const { folder, changed, ...judged } = cell;
  const result: CellResult = {
    ...judged,
    ...{ scenario: record.scenario, variant: { ...record.variant }, evidence: folder },
    expected: { ...record.expected },
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
  };
  const since =
    changed === undefined
      ? 'there is no saved result to compare with'
      : changed.length === 0
        ? 'as it was judged before'
        : changed
            .map(({ field, before, now }) => `${field}: ${shortenPaths(before)} -> ${shortenPaths(now)}`)
            .join('\n          ');
  return `${explainCell(result, folder).trimEnd()}\nsince     ${since}`;
}
