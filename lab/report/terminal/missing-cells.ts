import type { Rejudged } from '../../model/saved/formats.ts';
import { shellWord } from '../../model/text/shell.ts';
import { row } from '../text/page-rows.ts';

type Missing = Readonly<NonNullable<Rejudged['missing']>>;

/** A row for each cell whose evidence is missing. */
export function missingRows(missing: Missing): string[] {
  return missing.map(({ address, evidence }) =>
    row('missing', `${address}: its evidence is not there (${evidence})`),
  );
}

/** What to do next: to judge a cell that is there, else to run one that is missing. */
export function nextRow(folder: string | undefined, [lost]: Missing): string[] {
  if (folder !== undefined) return [row('next', `npx whodunit judge ${shellWord(folder)}`)];
  return lost === undefined ? [] : [row('next', `npx whodunit run ${shellWord(lost.address)}`)];
}
