import { shellWord } from '../../model/text/shell.ts';
import type { Flags } from './flags.ts';

/** What runs the cells of these words, after `npx whodunit`. */
export function runCommand(words: readonly string[], { lastFailed, pairwise, cold, seed }: Flags): string {
  return [
    'run',
    ...words.map(shellWord),
    ...(lastFailed === true ? ['--last-failed'] : []),
    ...(pairwise === true ? ['--pairwise'] : []),
    ...(cold === true ? ['--cold'] : []),
    ...(seed === undefined ? [] : ['--seed', shellWord(seed)]),
  ].join(' ');
}
