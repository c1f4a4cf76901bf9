import { findJsonInside } from '../../drivers/files/inside.ts';
import { compareJudgements } from '../../judge/compare/compare-judgements.ts';
import { describeProblem, UsageError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import { cellSchema, type CellResult, type Rejudged } from '../../model/saved/formats.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { listZodProblems } from '../../model/files/zod-problems.ts';
import type { ExitStatus } from '../../model/errors/exit-status.ts';
import { renderRejudged, type Rejudgement } from '../../report/terminal/render-rejudged.ts';
import type { RunVerb } from '../context/context.ts';
import { checkExports, type NotAsExported } from '../saved/check-export.ts';
import { judgeAutopsies } from '../saved/judge-autopsies.ts';
import { findEvidence, type MissingEvidence } from '../saved/missing-evidence.ts';
import { judgeFolder } from '../../world/cell/judge-folder.ts';
import { readCellRecords } from '../saved/read-cell-record.ts';
import { isSavedAutopsy } from '../saved/read-saved-autopsy.ts';
import { readEffective } from '../saved/spell-cell.ts';
import { shellWord } from '../../model/text/shell.ts';
import { spellPath } from '../context/spell-path.ts';

/** `whodunit judge <run or folder>…`: judges saved evidence again, and says what has changed. */
export const runJudge: RunVerb = async (context, words) => {
  const autopsies = words.filter(isSavedAutopsy);
  if (autopsies.length > 0 && autopsies.length === words.length) return judgeAutopsies(autopsies);
  if (autopsies.length > 0)
    throw new UsageError('runs and saved autopsies are judged one kind at a time', {
      tryNext: `npx whodunit judge ${autopsies.map((folder) => shellWord(folder)).join(' ')}`,
    });
  const { folders, missing } = findEvidence(context, words);
  // All records are read before the first cell is judged, because judging a run may take minutes.
  const rejudged = [...readCellRecords(folders)].map(([folder, record]) => rejudge(folder, record));
  const cells = rejudged.map(({ cell }) => cell);
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
    page: () => renderRejudged({ rejudged, missing, notAsExported }),
  };
};

interface Found {
  readonly hasChanged: boolean;
  readonly missing: readonly MissingEvidence[];
  readonly notAsExported: readonly NotAsExported[];
}

/** Returns the status. If the evidence is not as it was exported, the verdicts say nothing. */
function statusOf({ hasChanged, missing, notAsExported }: Found): ExitStatus {
  if (notAsExported.length > 0) return 'host';
  if (hasChanged) return 'failed';
  return missing.length > 0 ? 'inconclusive' : 'passed';
}

function rejudge(folder: string, record: CellRecord): Rejudgement {
  const { now } = judgeFolder(folder, record);
  const saved = readSaved(folder);
  const cell = { folder: spellPath(folder), address: record.address, ...now };
  const versions = readEffective(folder, { evidence: '.' })?.versions;
  if (typeof saved === 'string') return { cell, record, versions, uncompared: saved };
  return { cell: { ...cell, changed: compareJudgements(saved, now) }, record, versions };
}

/**
 * Returns the result that was saved with the cell, else why there is none. It is only compared, so a file that cannot
 * be read is not an error.
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
