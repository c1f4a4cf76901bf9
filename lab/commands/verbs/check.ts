import { findJsonInside } from '../../drivers/files/inside.ts';
import { ConfigError } from '../../model/errors/errors.ts';
import type { ExitReason } from '../../model/errors/exit-status.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import { cellPaths } from '../../model/host/paths.ts';
import type { Checked } from '../../model/saved/checked.ts';
import { cellSchema, type Attribution } from '../../model/saved/formats.ts';
import { plural } from '../../model/text/plural.ts';
import { shellWord } from '../../model/text/shell.ts';
import { missingRows, nextRow } from '../../report/terminal/missing-cells.ts';
import { row } from '../../report/text/page-rows.ts';
import { joinLines } from '../../report/text/text-table.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import type { RunVerb } from '../context/context.ts';
import { spellPath } from '../context/spell-path.ts';
import { checkAnswer } from '../saved/check-answer.ts';
import { findEvidence, type MissingEvidence } from '../saved/missing-evidence.ts';
import { readCellRecords } from '../saved/read-cell-record.ts';

type CheckedCell = Checked['cells'][number];

/** `whodunit check <run or folder>…`: checks the proofs of saved verdicts against the raw files, without the judge. */
export const runCheck: RunVerb = async (context, words) => {
  const { folders, missing } = findEvidence(context, words);
  const cells = [...readCellRecords(folders)].map(([folder, record]) => checkFolder(folder, record));
  const result: Checked = {
    formatVersion: FORMAT_VERSION,
    cells,
    ...(missing.length === 0 ? {} : { missing }),
  };
  return { status: statusOf(cells, missing), json: result, page: () => render(cells, missing) };
};

function checkFolder(folder: string, record: CellRecord): CheckedCell {
  const saved = readSaved(folder);
  const answer = saved ?? judgeFolder(folder, record).now.attribution;
  const { killer, confidence } = answer;
  return {
    address: record.address,
    folder: spellPath(folder),
    killer,
    confidence,
    of: saved === undefined ? 'now' : 'saved',
    ...checkAnswer(folder, answer),
  };
}

/**
 * Returns the attribution in the saved result; undefined when none was saved.
 *
 * @throws ConfigError when the result cannot be read.
 */
function readSaved(folder: string): Attribution | undefined {
  const path = cellPaths(folder).result;
  const saved = findJsonInside(folder, path);
  if (saved === undefined) return undefined;
  const parsed = cellSchema.safeParse(saved);
  if (parsed.success) return parsed.data.attribution;
  throw new ConfigError(listZodProblems(spellPath(path), cellSchema, saved, parsed.error), {
    what: 'the saved result',
    tryNext: `npx whodunit judge ${shellWord(spellPath(folder))}`,
  });
}

/** Returns the status: a rejected proof counts more than a missing one. */
function statusOf(cells: readonly CheckedCell[], missing: readonly MissingEvidence[]): ExitReason {
  if (cells.some(({ problems }) => problems.length > 0)) return 'failed';
  return missing.length === 0 && cells.every(({ ok }) => ok) ? 'passed' : 'inconclusive';
}

function render(cells: readonly CheckedCell[], missing: readonly MissingEvidence[]): string {
  const accepted = cells.filter(({ ok }) => ok).length;
  const rejected = cells.filter(({ problems }) => problems.length > 0);
  const without = cells.length - accepted - rejected.length;
  const counts = [
    `${plural(cells.length, 'proof')} checked${missing.length === 0 ? '' : ` of ${cells.length + missing.length}`}`,
    `${accepted} accepted`,
    ...(rejected.length === 0 ? [] : [`${rejected.length} rejected`]),
    ...(without === 0 ? [] : [`${without} without a certificate`]),
    ...(missing.length === 0 ? [] : [`${missing.length} missing`]),
  ];
  const folder = (rejected[0] ?? cells[0])?.folder;
  return joinLines([
    ...cells.flatMap(renderCell),
    ...missingRows(missing),
    '',
    row('total', counts.join(', ')),
    ...nextRow(folder, missing),
  ]);
}

function renderCell({ address, ok, note, killer, confidence, of, problems, folder }: CheckedCell): string[] {
  const state = ok ? 'accepted' : problems.length > 0 ? 'rejected' : 'none';
  const judged = of === 'now' ? ' (judged now: no result was saved)' : '';
  const what = note ?? `${killer ?? ''}, ${confidence ?? ''}${judged}`;
  return [
    row(state, `${address}: ${what}`),
    ...problems.map(({ problem, file, line }) => row('', `${placeOf(folder, file, line)}${problem}`)),
  ];
}

function placeOf(folder: string, file: string | undefined, line: number | undefined): string {
  if (file === undefined) return '';
  return `${folder}/${file}${line === undefined ? '' : `:${line}`}: `;
}
