import { shellWord } from '../../model/text/shell.ts';
import { FLAGS, isGiven, spellFlag, type FlagName, type Flags } from './flags.ts';

/** Flags that say how an answer is printed, or that nothing is started. */
const NOT_AGAIN: readonly FlagName[] = ['dryRun', 'json', 'output', 'summary'];

/** Whether a flag takes all words up to the next flag. */
const takesSeveral = (name: FlagName): boolean => FLAGS[name].endsWith('...>');

/**
 * Spells the line that does what a dry run has shown, without `npx whodunit`. It has every flag that was given, so that
 * it does neither more nor less. What takes all words up to the next flag comes last.
 */
export function spellLine(verb: string, words: readonly string[], flags: Flags): string {
  const names = (Object.keys(FLAGS) as FlagName[]).filter(
    (name) => isGiven(name, flags) && !NOT_AGAIN.includes(name),
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
