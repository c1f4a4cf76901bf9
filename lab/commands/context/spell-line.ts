import { shellWord } from '../../model/text/shell.ts';
import { FLAGS, isGiven, spellFlag, type FlagName, type Flags } from './flags.ts';

/** Flags of the dry run itself: they say how the answer is printed, or that nothing is started. */
const ONLY_FOR_DRY_RUN: readonly FlagName[] = ['dryRun', 'json', 'output', 'summary'];

/** Whether a flag takes all words up to the next flag. */
const takesSeveral = (name: FlagName): boolean => FLAGS[name].endsWith('...>');

/**
 * Returns the command line, without `npx whodunit`, that does what a dry run has shown. It has all other flags of the dry
 * run, so that it does neither more nor less. Flags that take all words up to the next flag come last.
 */
export function spellLine(verb: string, words: readonly string[], flags: Flags): string {
  const names = (Object.keys(FLAGS) as FlagName[]).filter(
    (name) => isGiven(name, flags) && !ONLY_FOR_DRY_RUN.includes(name),
  );
  const ordered = names.toSorted((one, other) => Number(takesSeveral(one)) - Number(takesSeveral(other)));
  return [verb, ...words, ...ordered.flatMap((name) => spellGiven(name, flags[name]))]
    .map(shellWord)
    .join(' ');
}

function spellGiven(name: FlagName, value: Flags[FlagName]): string[] {
  if (typeof value === 'boolean' || value === undefined) return [spellFlag(name)];
  // A budget is read as a time, and kept as seconds.
  if (name === 'budget') return [spellFlag(name), `${String(value)}s`];
  if (typeof value === 'string' || typeof value === 'number') return [spellFlag(name), String(value)];
  return [spellFlag(name), ...value];
}
