import { join } from 'node:path';
import type { OpenedFile } from '../../drivers/bundles/bundle-file.ts';
import { isFolder, pathExists } from '../../drivers/files/files.ts';
import { findJsonInside, readPiecesInside } from '../../drivers/files/inside.ts';
import { answer } from '../../autopsy/answer.ts';
import { readBundle } from '../../evidence/bundle/read-bundle.ts';
import { linesOfStream } from '../../evidence/lines.ts';
import type { Autopsy } from '../../model/saved/autopsy.ts';
import { SAVED_AUTOPSY, savedAutopsySchema, type SavedAutopsy } from '../../model/saved/saved-autopsy.ts';
import { requireSaved } from './saved-file.ts';

/** Far more than the some MB of an answer about many deaths. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Whether a folder was written by `autopsy --save`. */
export function isSavedAutopsy(folder: string): boolean {
  return isFolder(folder) && pathExists(join(folder, SAVED_AUTOPSY));
}

/**
 * Reads the record of a saved autopsy.
 *
 * @throws HostError LAB_STATE_FILE when it is not of this version.
 */
export function readSavedAutopsy(folder: string): SavedAutopsy {
  const path = join(folder, SAVED_AUTOPSY);
  const value = findJsonInside(folder, SAVED_AUTOPSY, MAX_BYTES) ?? null;
  return requireSaved({ path, is: 'a saved autopsy', move: 'its folder' }, savedAutopsySchema, value);
}

/** Opens the saved files under their original names. Such a name is only shown: the file that is opened is in the folder. */
export async function* openSaved(folder: string, { files }: SavedAutopsy): AsyncGenerator<OpenedFile> {
  for (const { saved, path } of files) yield { path, pieces: piecesOf(folder, saved) };
}

async function* piecesOf(folder: string, saved: string): AsyncGenerator<Uint8Array> {
  yield* readPiecesInside(folder, saved);
}

/** Asks the saved question of the saved files again. */
export async function answerSaved(folder: string, saved: SavedAutopsy): Promise<Autopsy> {
  const files = openSaved(folder, saved);
  const lines = (async function* () {
    for await (const { path, pieces } of files) yield { path, lines: linesOfStream(pieces) };
  })();
  return answer(await readBundle(lines, saved.options), saved.question);
}
