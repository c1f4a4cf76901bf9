import { openCellFolder } from '../../drivers/files/cell-folder.ts';
import { readEvidence } from '../../evidence/read-evidence.ts';
import { judgeCell, type Judgement } from '../../judge/verdict/judge-cell.ts';
import type { CellRecord, Observation } from '../../model/evidence/observation.ts';

/** What a folder of evidence holds, and what the judge says of it. */
export interface JudgedFolder {
  /** The files of the folder, opened. */
  readonly files: ReturnType<typeof openCellFolder>;
  readonly record: CellRecord;
  readonly observations: readonly Observation[];
  readonly now: Judgement;
}

/**
 * Judges the saved evidence of one cell against the outcome that was expected when it ran. It is the only way to a
 * verdict: of a run, of `whodunit judge`, and of a report.
 *
 * @param record its `cell.json`.
 */
export function judgeFolder(folder: string, record: CellRecord): JudgedFolder {
  const files = openCellFolder(folder);
  const observations = readEvidence(files, record);
  return { files, record, observations, now: judgeCell(record, observations) };
}
