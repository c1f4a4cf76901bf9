import { join } from 'node:path';
import { pathExists } from '../../drivers/files/files.ts';
import { ConfigError, HostError } from '../../model/errors/errors.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { cellPaths, runPaths } from '../../model/host/paths.ts';
import { isUnobserved } from '../../report/words/explain-unjudged.ts';
import type { Context } from '../context/context.ts';
import { findCells, findSavedFolder } from './find-cells.ts';
import { readRunFolder } from './find-run.ts';

/** A cell of a saved run whose evidence is missing. */
export interface MissingEvidence {
  readonly address: string;
  /** Where the evidence should be, relative to the run. */
  readonly evidence: string;
}

/** Returns the cells whose evidence the result of a run names, and its folder does not have. */
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

/** What words name of saved runs. */
interface NamedEvidence {
  /** The folders of cells that are there (`findCells`). */
  readonly folders: readonly string[];
  readonly missing: MissingEvidence[];
}

/**
 * Finds the evidence that words name, and what is missing of it. A run may have lost all of it.
 *
 * @throws UsageError when a word names nothing that was saved, or several runs.
 */
export function findEvidence(context: Context, words: readonly string[]): NamedEvidence {
  const folders = findCells(context, words, (dir) => findMissingBelow(dir).length > 0);
  const dirs = new Set(words.map((word) => findSavedFolder(context, word)));
  return { folders, missing: [...dirs].flatMap(findMissingBelow) };
}

/** Returns the missing evidence of a run's folder; nothing for any other folder, and when its result cannot be read. */
function findMissingBelow(dir: string): MissingEvidence[] {
  if (!pathExists(runPaths(dir).result)) return [];
  try {
    return findMissingIn(dir, readRunFolder(dir).result.cells);
  } catch (error) {
    // The evidence that is there can still be judged.
    if (error instanceof ConfigError || error instanceof HostError) return [];
    throw error;
  }
}
