import { join } from 'node:path';
import { isFolder } from '../drivers/files.ts';
import { UsageError } from '../model/errors.ts';
import type { RunVerb } from './context.ts';
import { getRun } from './find-run.ts';
import { spellPath } from './spell-path.ts';

/** `whodunit why <address>`: the killer of one cell with its evidence, from the newest run that has it. */
export const runWhy: RunVerb = async (context, words, flags) => {
  const [word = ''] = words;
  // A bare scenario name means the default variant.
  const address = word.includes('/') ? word : `default/${word}`;
  const run = getRun(context, flags.run, address);
  const cell = run.result.cells.find((each) => each.address === address);
  if (cell === undefined) throw new UsageError(`no cell is called "${address}"`);
  if (flags.json === true) {
    context.printJson({ formatVersion: run.result.formatVersion, run: run.result.run, cell });
    return 0;
  }
  const { explainCell } = await import('../report/explain-cell.ts');
  const folder = join(run.paths.dir, cell.evidence);
  // Of a cell that never began, nothing was saved.
  const evidence = cell.evidence !== '' && isFolder(folder) ? spellPath(folder) : '';
  context.print(`${explainCell(cell, evidence).trimEnd()}\nrun       ${run.result.run}`);
  return 0;
};
