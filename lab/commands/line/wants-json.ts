import { COMPLETE_VERB } from './complete-verb.ts';
import { VERBS } from './verbs.ts';

/**
 * Whether a command line asks for JSON. It may be wrong: then the error is JSON too. Words for another program do not count.
 */
export function wantsJson(words: readonly string[]): boolean {
  const own = words.slice(0, countOwnWords(words));
  return own.some(
    (word, index, all) =>
      word === '--json' ||
      /^(-o=?|--output=)json$/.test(word) ||
      (word === 'json' && ['-o', '--output'].includes(all[index - 1] ?? '')),
  );
}

/**
 * Counts the words at the beginning of a line that are for whodunit. The others are for another program (`kubectl`,
 * `shell`).
 */
export function countOwnWords(words: readonly string[]): number {
  const end = words.indexOf('--');
  const most = end < 0 ? words.length : end;
  const at = words.findIndex((word) => !word.startsWith('-'));
  const verb = [...VERBS, COMPLETE_VERB].find(({ name }) => name === words[at]);
  if (verb?.passThrough !== true) return most;
  const first = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  return first < 0 ? most : Math.min(first, most);
}
