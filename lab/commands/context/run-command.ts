import { shellWord } from '../../model/text/shell.ts';
import type { Flags } from './flags.ts';

/** Spells the command that runs the cells of these words, without `npx whodunit`. */
export function spellRunCommand(
  words: readonly string[],
  { lastFailed, pairwise, sample, cold, lanes, seed }: Flags,
): string {
  return [
    'run',
    ...words.map(shellWord),
    ...(lastFailed === true ? ['--last-failed'] : []),
    ...(pairwise === true ? ['--pairwise'] : []),
    ...(sample === undefined ? [] : ['--sample', String(sample)]),
    ...(cold === true ? ['--cold'] : []),
    ...(lanes === undefined ? [] : ['--lanes', lanes]),
    ...(seed === undefined ? [] : ['--seed', shellWord(seed)]),
  ].join(' ');
}
