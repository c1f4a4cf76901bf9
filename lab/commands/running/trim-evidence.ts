import { basename } from 'node:path';
import { removeBelow, listBelow } from '../../drivers/files/folders.ts';
import { findFolderInside } from '../../drivers/files/inside.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { keepsEvidence, parseEvidenceRule } from '../../plan/shards/evidence-rule.ts';
import type { SavedRun } from '../saved/find-run.ts';

/**
 * Removes the evidence of those cells of a run that the rule does not keep. Their `result.json` stays.
 *
 * @param rule the value of `--keep-evidence`: `failed,1%`.
 * @param seed the seed of the sample: the digest of a plan, so that all its shards and their merge keep the same cells.
 */
export function trimEvidence({ paths, result }: SavedRun, rule: string, seed = ''): void {
  const kept = parseEvidenceRule(rule);
  for (const cell of result.cells) {
    if (cell.evidence === '' || keepsEvidence(kept, cell, seed)) continue;
    const folder = findFolderInside(paths.dir, cell.evidence);
    if (folder === undefined) continue;
    const own = basename(cellPaths(folder).result);
    for (const path of listBelow(folder)) if (basename(path) !== own) removeBelow(folder, path);
  }
}
