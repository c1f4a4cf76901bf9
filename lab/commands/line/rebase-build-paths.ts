import { isAbsolute, relative, resolve } from 'node:path';
import type { Flags } from '../context/flags.ts';
import { SAVED_RUN_VERBS } from './saved-run-verbs.ts';
import type { Verb } from './verb.ts';

/** Whether the words of a verb may name local builds. The words of verbs about saved runs are names, as they were saved. */
export function mayNameBuilds(verb: Verb): boolean {
  return verb.passThrough !== true && !SAVED_RUN_VERBS.some(({ name }) => name === verb.name);
}

/**
 * Rewrites relative paths of local builds (`runtime=runsc@file:./out/runsc`, `runtime=runc@git:../runc`). A person
 * types them relative to the working directory; the lab reads and saves them relative to the folder of the project.
 *
 * @param folder the folder of the project, absolute.
 */
export function rebaseBuildPaths(
  words: readonly string[],
  flags: Flags,
  folder: string,
  cwd: string = process.cwd(),
): { readonly words: readonly string[]; readonly flags: Flags } {
  if (resolve(cwd) === resolve(folder)) return { words, flags };
  const rebase = (word: string): string => rebaseWord(word, folder, cwd);
  const { affected, fixed } = flags;
  return {
    words: words.map(rebase),
    flags: {
      ...flags,
      ...(affected === undefined ? {} : { affected: affected.map(rebase) }),
      ...(fixed === undefined ? {} : { fixed: fixed.map(rebase) }),
    },
  };
}

/**
 * A local build in a word. Its path ends at a comma, a glob or the end of a bracket. Addresses write `/` as %2F.
 */
const BUILD = /(?<=[=@,+[]|^)(file|git):((?:%2F|[^\s,*?\]%/])*%2F(?:%2F|[^\s,*?\]%/])*|[^\s,*?%\]]+)/g;

function rebaseWord(word: string, folder: string, cwd: string): string {
  return word.replaceAll(BUILD, (whole, kind: string, typed: string) => {
    const [, path = '', ref = ''] = /^([^#]*)(#.*)?$/.exec(typed.replaceAll('%2F', '/')) ?? [];
    if (isAbsolute(path)) return whole;
    const below = relative(folder, resolve(cwd, path));
    const rebased =
      below === '' || below.startsWith('..') || isAbsolute(below) ? resolve(cwd, path) : `./${below}`;
    const spelled = `${rebased}${ref}`;
    return `${kind}:${typed.includes('%2F') ? spelled.replaceAll('/', '%2F') : spelled}`;
  });
}
