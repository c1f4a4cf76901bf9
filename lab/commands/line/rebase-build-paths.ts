import { isAbsolute, relative, resolve } from 'node:path';
import type { Flags } from '../context/flags.ts';
import { SAVED_RUN_VERBS } from './saved-run-verbs.ts';
import type { Verb } from './verb.ts';

/** Whether words of a verb may name builds of this host. Those of saved runs are names, as they were saved. */
export function countsPaths(verb: Verb): boolean {
  return verb.passThrough !== true && !SAVED_RUN_VERBS.some(({ name }) => name === verb.name);
}

/**
 * Makes paths of local builds (`runtime=runsc@file:./out/runsc`, `runtime=runc@git:../runc`) begin in the folder of the project, where all that the lab
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
const BUILD = /(?<=[=@,+[]|^)(file|git):((?:%2F|[^\s,*?\]%/])*%2F(?:%2F|[^\s,*?\]%/])*|[^\s,*?%\]]+)/g;

function countWord(word: string, folder: string, cwd: string): string {
  return word.replaceAll(BUILD, (whole, kind: string, written: string) => {
    const [, path = '', ref = ''] = /^([^#]*)(#.*)?$/.exec(written.replaceAll('%2F', '/')) ?? [];
    if (isAbsolute(path)) return whole;
    const below = relative(folder, resolve(cwd, path));
    const counted =
      below === '' || below.startsWith('..') || isAbsolute(below) ? resolve(cwd, path) : `./${below}`;
    const spelled = `${counted}${ref}`;
    return `${kind}:${written.includes('%2F') ? spelled.replaceAll('/', '%2F') : spelled}`;
  });
}
