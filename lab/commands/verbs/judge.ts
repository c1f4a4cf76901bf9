import { findJsonInside } from '../../drivers/files/inside.ts';
import { compareJudgements } from '../../judge/compare/compare-judgements.ts';
import { describeProblem, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { cellSchema, type CellResult, type Rejudged } from '../../model/saved/formats.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { parametersField } from '../../model/declared/parameters.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import type { ExitStatus } from '../../model/errors/exit-status.ts';
import { explainCell } from '../../report/terminal/explain-cell.ts';
import { row, shortenPaths } from '../../report/text/page-rows.ts';
import { joinLines, textTable } from '../../report/text/text-table.ts';
import { shellWord } from '../../model/text/shell.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import type { RunVerb } from '../context/context.ts';
import { checkExports, type NotAsExported } from '../saved/check-export.ts';
import { findCells, findSavedFolder } from '../saved/find-cells.ts';
import { judgeAutopsies } from '../saved/judge-autopsies.ts';
import { findMissing, type MissingEvidence } from '../saved/missing-evidence.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import { readCellRecords } from '../saved/read-cell-record.ts';
import { isSavedAutopsy } from '../saved/read-saved-autopsy.ts';
import { spellPath } from '../context/spell-path.ts';

/** Files that are named; `--json` has all. */
const MAX_SHOWN = 20;

interface Rejudgement {
  readonly cell: Rejudged['cells'][number];
  readonly record: CellRecord;
  /** Why there is nothing to compare with. */
  readonly uncompared?: string;
}

/** `whodunit judge <run or folder>…`: judges saved evidence again; says what changed since. */
export const runJudge: RunVerb = async (context, words) => {
  const autopsies = words.filter(isSavedAutopsy);
  if (autopsies.length > 0 && autopsies.length === words.length) return judgeAutopsies(autopsies);
  if (autopsies.length > 0)
    throw new UsageError('runs and saved autopsies are judged one kind at a time', {
      tryNext: `npx whodunit judge ${autopsies.map((folder) => shellWord(folder)).join(' ')}`,
    });
  const folders = findCells(context, words);
  // All of them are read before the first is judged: a run may take minutes.
  const rejudged = [...readCellRecords(folders)].map(([folder, record]) => rejudge(folder, record));
  const cells = rejudged.map(({ cell }) => cell);
  const missing = [...new Set(words.map((word) => findSavedFolder(context, word)))].flatMap(findMissing);
  const hasChanged = cells.some(({ changed = [] }) => changed.length > 0);
  const notAsExported = checkExports(folders);
  const result: Rejudged = {
    formatVersion: FORMAT_VERSION,
    cells,
    ...(missing.length === 0 ? {} : { missing }),
    ...(notAsExported.length === 0 ? {} : { notAsExported }),
  };
  return {
    status: statusOf({ hasChanged, missing, notAsExported }),
    json: result,
    page: () => [renderAll(rejudged, missing), ...renderDifferences(notAsExported)].join('\n\n'),
  };
};

interface Found {
  readonly hasChanged: boolean;
  readonly missing: readonly MissingEvidence[];
  readonly notAsExported: readonly NotAsExported[];
}

/** What was judged of other evidence than was exported says nothing, whatever came out. */
function statusOf({ hasChanged, missing, notAsExported }: Found): ExitStatus {
  if (notAsExported.length > 0) return 'host';
  if (hasChanged) return 'failed';
  return missing.length > 0 ? 'inconclusive' : 'passed';
}

/** The evidence of an export that was changed may be that of another death: it is said last, where it is seen. */
function renderDifferences(files: readonly NotAsExported[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, MAX_SHOWN).map(({ file, is }) => row(is, file));
  const more = files.length > MAX_SHOWN ? [row('', `and ${files.length - MAX_SHOWN} more`)] : [];
  return [joinLines(['this is not the evidence that was exported (contents.json)', ...shown, ...more])];
}

/** More pages than these are not read from top to bottom. */
const MOST_PAGES = 6;

/** A page for each cell, or a line for each of many; then what is missing, and a total. */
function renderAll(rejudged: readonly Rejudgement[], missing: readonly MissingEvidence[]): string {
  const gone = missing.map(({ address, evidence }) =>
    row('missing', `${address}: its evidence is not there (${evidence})`),
  );
  if (rejudged.length === 1 && missing.length === 0) return rejudged.map(render).join('');
  const pages = rejudged.length > MOST_PAGES ? renderTable(rejudged) : rejudged.map(render).join('\n\n');
  const changed = rejudged.filter(({ cell }) => (cell.changed ?? []).length > 0).length;
  const counts = VERDICTS.flatMap((verdict) => {
    const count = rejudged.filter(({ cell }) => cell.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const total = [
    `${rejudged.length} judged${missing.length === 0 ? '' : ` of ${rejudged.length + missing.length}`}`,
    ...counts,
    `${changed} changed`,
    ...(missing.length === 0 ? [] : [`${missing.length} missing`]),
  ];
  const next = rejudged.find(({ cell }) => cell.verdict === 'failed') ?? rejudged[0];
  const lines = [
    ...gone,
    row('total', total.join(', ')),
    ...(next === undefined ? [] : [row('next', `npx whodunit judge ${shellWord(next.cell.folder)}`)]),
  ];
  return `${pages}\n\n${joinLines(lines)}`;
}

function renderTable(rejudged: readonly Rejudgement[]): string {
  const lines = rejudged.map(({ cell, uncompared }) => {
    const { address, verdict, attribution, changed = [] } = cell;
    const { killer, confidence } = attribution;
    const fields = changed.map(({ field }) => field).join(', ');
    const now = fields === '' ? (uncompared === undefined ? '' : 'not compared') : `changed: ${fields}`;
    return [address, verdict, `${killer}, ${confidence}`, now];
  });
  return textTable([['cell', 'verdict', 'killer', ''], ...lines]).join('\n');
}

function rejudge(folder: string, record: CellRecord): Rejudgement {
  const { now } = judgeFolder(folder, record);
  const saved = readSaved(folder);
  const cell = { folder: spellPath(folder), address: record.address, ...now };
  if (typeof saved === 'string') return { cell, record, uncompared: saved };
  return { cell: { ...cell, changed: compareJudgements(saved, now) }, record };
}

/**
 * The result that was saved with the cell, else why there is none. It is compared only, so a file that cannot be read
 * is not an error.
 */
function readSaved(folder: string): CellResult | string {
  const path = cellPaths(folder).result;
  try {
    const saved = findJsonInside(folder, path);
    if (saved === undefined) return 'nothing to compare with: no saved result';
    const parsed = cellSchema.safeParse(saved);
    if (parsed.success) return parsed.data;
    const [problem] = listZodProblems(path, cellSchema, saved, parsed.error);
    return `result.json was written by another version (${problem === undefined ? '' : describeProblem(problem)})`;
  } catch (error) {
    return `result.json cannot be read (${(error as Error).message})`;
  }
}

function render({ cell, record, uncompared }: Rejudgement): string {
  const { folder, changed = [], ...judged } = cell;
  const result: CellResult = {
    ...judged,
    scenario: record.scenario,
    variant: { ...record.variant },
    evidence: folder,
    ...parametersField(record.parameters ?? {}),
    expected: { ...record.expected },
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
  };
  const differences = changed.map(
    ({ field, before, now }) => `${field}: ${shortenPaths(before)} -> ${shortenPaths(now)}`,
  );
  const [first = uncompared ?? 'as it was judged before', ...more] = differences;
  const lines = [row('changed', first), ...more.map((line) => row('', line))];
  return `${explainCell(result, folder)}${joinLines(lines)}`;
}
