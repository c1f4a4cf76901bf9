import { COMPLETE } from './complete-verb.ts';
import { VERBS } from './verbs.ts';

/**
 * Whether a command line asks for JSON, also one that is wrong: then its error is JSON too. What is passed on to another
 * program begins with its first word.
 */
export function wantsJson(words: readonly string[]): boolean {
  const ours = words.slice(0, lastOfOurs(words));
  return ours.some(
    (word, index, all) =>
      word === '--json' ||
      /^(-o=?|--output=)json$/.test(word) ||
      (word === 'json' && ['-o', '--output'].includes(all[index - 1] ?? '')),
  );
}

/** How many words of a line are for us; behind them are those for another program. */
export function lastOfOurs(words: readonly string[]): number {
  const end = words.indexOf('--');
  const most = end < 0 ? words.length : end;
  const at = words.findIndex((word) => !word.startsWith('-'));
  const verb = [...VERBS, COMPLETE].find(({ name }) => name === words[at]);
  if (verb?.passThrough !== true) return most;
  const first = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  return first < 0 ? most : Math.min(first, most);
}
