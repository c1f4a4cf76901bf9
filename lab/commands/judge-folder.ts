import { openCellFolder } from '../drivers/cell-folder.ts';
import { readJson } from '../drivers/files.ts';
import { readEvidence } from '../evidence/read-evidence.ts';
import { judgeCell, type Judgement } from '../judge/judge-cell.ts';
import type { CellRecord } from '../model/observation.ts';
import { cellPaths } from '../model/paths.ts';

/** Judges the saved evidence of one cell, with what was expected of it when it ran. */
export function judgeFolder(folder: string): { readonly record: CellRecord; readonly now: Judgement } {
  const record = readJson(cellPaths(folder).record) as CellRecord;
  return { record, now: judgeCell(record, readEvidence(openCellFolder(folder), record)) };
}
