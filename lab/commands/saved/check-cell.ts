import { checkProof } from '../../check/check-proof.ts';
import { openCellFolder, type StreamedFile } from '../../drivers/files/cell-folder.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import type { Checked } from '../../model/saved/checked.ts';

/** What came of the check of one proof. */
export type CheckedProof = Pick<Checked['cells'][number], 'ok' | 'note' | 'problems'>;

/** Why a result has nothing to check. */
const NO_CERTIFICATE = 'no certificate: an older whodunit wrote it, or there was no victim';

/**
 * Holds the proof of an answer against the raw files of its cell.
 *
 * @param folder of the cell, with its evidence.
 */
export function checkAnswer(folder: string, { proof, ...answer }: Attribution): CheckedProof {
  if (proof === undefined) return { ok: false, note: NO_CERTIFICATE, problems: [] };
  const files = openCellFolder(folder);
  const contents = new Map([...files].map(([path, file]) => [path, readAll(file)]));
  const problems = checkProof({ ...answer, proof }, contents);
  return { ok: problems.length === 0, problems };
}

function readAll({ chunks }: StreamedFile): string {
  return Buffer.concat([...chunks()]).toString('utf8');
}
