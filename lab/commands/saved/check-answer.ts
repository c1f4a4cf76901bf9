import { checkProof } from '../../check/check-proof.ts';
import { openCellFolder, type StreamedFile } from '../../drivers/files/cell-folder.ts';
import type { Attribution } from '../../model/saved/formats.ts';
import type { CheckedProof } from '../../model/saved/checked.ts';

/** The note for a result without a proof. */
const NO_CERTIFICATE = 'no certificate: an older whodunit wrote it, or there was no victim';

/**
 * Checks the proof of an answer against the raw files of its cell.
 *
 * @param folder the folder of the cell, with its evidence.
 */
export function checkAnswer(folder: string, { proof, ...answer }: Attribution): CheckedProof {
  if (proof === undefined) return { ok: false, note: NO_CERTIFICATE, problems: [] };
  const contents = new Map<string, string>();
  for (const [path, file] of openCellFolder(folder)) {
    const text = readAll(file);
    if (text === undefined) return { ok: false, note: tooLarge(path), problems: [] };
    contents.set(path, text);
  }
  const problems = checkProof({ ...answer, proof }, contents);
  return { ok: problems.length === 0, problems };
}

/** The checker reads whole files into memory, and a string of Node is shorter than 512 MiB. */
const MOST_BYTES = 256 * 1024 * 1024;

function tooLarge(path: string): string {
  return `${path} has more than ${MOST_BYTES / 1024 / 1024} MiB, which is too much to check`;
}

/** Reads a file as text; undefined when it has more than MOST_BYTES. */
function readAll({ chunks }: StreamedFile): string | undefined {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks()) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return undefined;
    read.push(chunk);
  }
  return Buffer.concat(read).toString('utf8');
}
