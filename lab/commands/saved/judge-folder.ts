import { openCellFolder } from '../../drivers/files/cell-folder.ts';
import { readEvidence } from '../../evidence/read-evidence.ts';
import { judgeCell, type Judgement } from '../../judge/verdict/judge-cell.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { getCellRecord } from './read-cell-record.ts';

/**
 * Judges the saved evidence of one cell against the outcome that was expected when it ran.
 *
 * @param record its `cell.json`; default: read from the folder.
 * @throws ConfigError when a file is not what a lab of this format saves.
 */
export function judgeFolder(
  folder: string,
  record: CellRecord = getCellRecord(folder),
): { readonly record: CellRecord; readonly now: Judgement } {
  return { record, now: judgeCell(record, readEvidence(openCellFolder(folder), record)) };
}
