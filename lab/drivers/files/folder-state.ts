import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describeState } from './file-state.mjs';
import { findFolderInside, listInside } from './inside.ts';

/** In which state the files below a folder are. */
interface FolderState {
  /** Differs whenever a file was changed, added, removed or replaced. */
  readonly digest: string;
  /** When the newest of the files was changed, in milliseconds since 1970. */
  readonly changedAtMs: number;
}

/**
 * Says in which state the files of a folder are that is in another one. Undefined where there is no folder, where something
 * in it is not a file, and where it cannot be read: whoever reads it says what is wrong.
 *
 * @param depth levels of folders that are looked into.
 */
export function findFolderState(root: string, path: string, depth: number): FolderState | undefined {
  const hash = createHash('sha256');
  let changedAtMs = 0;
  try {
    const folder = findFolderInside(root, path);
    if (folder === undefined) return undefined;
    const { files, others } = listInside(folder, '.', depth);
    if (others.length > 0) return undefined;
    for (const file of files) {
      const state = lstatSync(join(folder, file.path), { bigint: true });
      hash.update(`${file.path}\0${describeState(state)}\0`);
      changedAtMs = Math.max(changedAtMs, Number(state.ctimeMs));
    }
  } catch {
    return undefined;
  }
  return { digest: hash.digest('hex'), changedAtMs };
}
