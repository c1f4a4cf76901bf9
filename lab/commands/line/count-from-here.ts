import { isAbsolute, relative, resolve } from 'node:path';
import type { Flags } from '../context/flags.ts';
import { SAVED_RUN_VERBS } from './saved-run-verbs.ts';
import type { Verb } from './verb.ts';

/** Whether words of a verb may name builds of this host. Those of saved runs are names, as they were saved. */
export function countsPaths(verb: Verb): boolean {
  return verb.passThrough !== true && !SAVED_RUN_VERBS.some(({ name }) => name === verb.name);
}

/**
 * Makes paths of local builds (`runtime=runsc@file:./out/runsc`) begin in the folder of the project, where all that the lab
 * writes down begins: whoever typed them counted from where they stand. In that folder itself nothing changes.
 *
 * @param folder the folder of the project, absolute.
 */
export function countFromHere(
  words: readonly string[],
  flags: Flags,
  folder: string,
  cwd: string = process.cwd(),
): { readonly words: readonly string[]; readonly flags: Flags } {
  if (resolve(cwd) === resolve(folder)) return { words, flags };
  const spell = (word: string): string => countWord(word, folder, cwd);
  const { affected, fixed } = flags;
  return {
    words: words.map(spell),
    flags: {
      ...flags,
      ...(affected === undefined ? {} : { affected: affected.map(spell) }),
      ...(fixed === undefined ? {} : { fixed: fixed.map(spell) }),
    },
  };
}

/** A path ends where a list of values, a glob or the brackets of parameters go on. Addresses write `/` as in a URL. */
const BUILD = /(?<=[=@,+[]|^)file:((?:%2F|[^\s,*?\]%/])*%2F(?:%2F|[^\s,*?\]%/])*|[^\s,*?%\]]+)/g;

function countWord(word: string, folder: string, cwd: string): string {
  return word.replaceAll(BUILD, (whole, written: string) => {
    const path = written.replaceAll('%2F', '/');
    if (isAbsolute(path)) return whole;
    const below = relative(folder, resolve(cwd, path));
    const counted =
      below === '' || below.startsWith('..') || isAbsolute(below) ? resolve(cwd, path) : `./${below}`;
    return `file:${written.includes('%2F') ? counted.replaceAll('/', '%2F') : counted}`;
  });
}
