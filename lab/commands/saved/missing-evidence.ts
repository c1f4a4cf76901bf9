import { join } from 'node:path';
import { pathExists } from '../../drivers/files/files.ts';
import { ConfigError, HostError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { cellPaths, runPaths } from '../../model/host/paths.ts';
import { isUnobserved } from '../../report/words/explain-unjudged.ts';
import type { Context } from '../context/context.ts';
import { findSavedFolder } from './find-cells.ts';
import { readRunFolder } from './find-run.ts';

/** A cell of a saved run whose evidence is not there. */
export interface MissingEvidence {
  readonly address: string;
  /** Where it should be, relative to the run. */
  readonly evidence: string;
}

/** What the result of a run speaks of and its folder does not have. */
export function findMissingIn(dir: string, cells: readonly CellResult[]): MissingEvidence[] {
  return cells.flatMap((cell) => {
    const { address, verdict, evidence, attempts = [] } = cell;
    if (verdict === 'skipped' || isUnobserved(cell)) return [];
    const folders = attempts.length === 0 ? [evidence] : attempts.map((attempt) => attempt.evidence);
    return folders
      .filter((folder) => folder !== '' && !pathExists(cellPaths(join(dir, folder)).record))
      .map((folder) => ({ address, evidence: folder }));
  });
}

/** The same for the runs among what words name. */
export function findMissing(context: Context, words: readonly string[]): MissingEvidence[] {
  return [...new Set(words.map((word) => findSavedFolder(context, word)))].flatMap(findMissingBelow);
}

/** The same for a folder that may be that of a run; nothing when it is none, or its result cannot be read. */
function findMissingBelow(dir: string): MissingEvidence[] {
  if (!pathExists(runPaths(dir).result)) return [];
  try {
    return findMissingIn(dir, readRunFolder(dir).result.cells);
  } catch (error) {
    // What is there is judged all the same.
    if (error instanceof ConfigError || error instanceof HostError) return [];
    throw error;
  }
}
