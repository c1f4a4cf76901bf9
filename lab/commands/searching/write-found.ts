import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { findText, writeTextAtomic } from '../../drivers/files/files.ts';
import { UsageError } from '../../model/errors/errors.ts';
import type { BisectResult } from '../../model/saved/search.ts';
import { workDir } from '../../model/host/project-folders.ts';
import { spellPath } from '../context/spell-path.ts';
import type { Context } from '../context/context.ts';

/**
 * Writes the first bad or the first good version of each release line into the file of the bug.
 *
 * @returns lines that say so.
 * @throws UsageError when the search is not for a bug, or has not found it.
 */
export function writeFound(context: Context, { bug, isFix, lines, outcome }: BisectResult): string[] {
  // Behind a version that could not be observed the first one is not known.
  const found = lines.flatMap(({ outcome: ofLine, lastGood, firstBad, among }) => {
    const first = isFix ? lastGood : firstBad;
    return ofLine === 'found' && first !== undefined && among.length === 1 ? [first] : [];
  });
  if (bug === undefined || outcome !== 'found' || found.length === 0)
    throw new UsageError(
      bug === undefined
        ? 'the search is for a cell, and --write writes into the file of a bug'
        : 'no first version is known for sure, so nothing is written',
      { tryNext: 'npx whodunit bisect <bug> --write' },
    );
  const file = join(workDir(context), 'bugs', `${bug}.yaml`);
  const text = findText(file);
  if (text === undefined)
    throw new UsageError(`${spellPath(file)} is not there`, { tryNext: 'name a bug of your own project' });
  const document = parseDocument(text);
  const field = isFix ? 'firstGood' : 'firstBad';
  document.set(field, document.createNode(found, { flow: true }));
  writeTextAtomic(file, document.toString({ lineWidth: 120, flowCollectionPadding: true }));
  return [`wrote    ${field} of ${spellPath(file)}`];
}
