import { resolve } from 'node:path';
import { findCellFolders } from '../../drivers/files/cell-folder.ts';
import { findFolderInside } from '../../drivers/files/inside.ts';
import { isFolder, listFolder, pathExists } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import { tryAll } from '../../model/errors/usage-problems.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Context } from '../context/context.ts';
import { findRunId, matchRunIds } from './run-id.ts';

/** Returns what to try when a word names no saved run. */
function tryRuns(ids: readonly string[]): string {
  return ids.length === 0
    ? 'npx whodunit run saves one; or name a folder that has a cell.json'
    : 'npx whodunit runs lists the runs; or name a folder that has a cell.json';
}

/**
 * Returns the folders of all saved cells that the words name, each once, in the order of the words. A word is the
 * folder of a cell, a folder above several cells, or a run: its id, the beginning of exactly one id, or `latest`.
 *
 * @param isKnown whether it is known of a folder why it has no cell.
 * @throws UsageError when a word names nothing that was saved, or several runs.
 */
export function findCells(
  context: Pick<Context, 'stateDir'>,
  words: readonly string[],
  isKnown: (folder: string) => boolean,
): string[] {
  const found = tryAll(words, (word) => {
    const path = findSavedFolder(context, word);
    if (!isFolder(path)) throw new UsageError(`"${word}" is a file`, { tryNext: 'name its folder' });
    const cells = findCellFolders(path);
    if (cells.length === 0 && !isKnown(path))
      throw new UsageError(`no cell was saved in "${word}"`, { tryNext: tryRuns(listRunIds(context)) });
    return cells;
  });
  return [...new Set(found.flat())];
}

/**
 * Returns the path that a word is, if it exists; otherwise the folder of the run that the word names.
 *
 * @throws UsageError when it names nothing, or several runs.
 */
export function findSavedFolder(context: Pick<Context, 'stateDir'>, word: string): string {
  const path = resolve(word);
  if (pathExists(path)) return path;
  const state = statePaths(context.stateDir);
  const ids = listRunIds(context);
  const id = findRunId(ids, word);
  if (id === undefined) {
    const none = ids.length === 0 ? ', and no run was saved yet' : formatHint(word, ids);
    throw new UsageError(`there is no folder or run "${word}"${none}`, { tryNext: tryRuns(ids) });
  }
  // The folder may come from somebody else, and must not be a link out of runs/.
  findFolderInside(state.runs, id);
  return state.run(id).dir;
}

/** Returns the ids of the runs that a word may name: an id, all that begin with it, or `latest`. */
export function findRunIds(context: Pick<Context, 'stateDir'>, word: string): string[] {
  return matchRunIds(listRunIds(context), word);
}

/** Returns the ids of all saved runs, finished or not, oldest first. */
export function listRunIds({ stateDir }: Pick<Context, 'stateDir'>): string[] {
  return listFolder(statePaths(stateDir).runs);
}
