import { COMPLETE } from './complete-verb.ts';
import { VERBS } from './verbs.ts';

/**
 * Whether a command line asks for JSON, also one that is wrong: then its error is JSON too. What is passed on to another
 * program begins with its first word.
 */
export function wantsJson(words: readonly string[]): boolean {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const verb = [...VERBS, COMPLETE].find(({ name }) => name === words[at]);
  const ours = verb?.passThrough === true ? words.slice(0, lastOfOurs(words, at)) : words;
  const end = ours.indexOf('--');
  return (end < 0 ? ours : ours.slice(0, end)).some(
    (word, index, all) =>
      word === '--json' ||
      /^(-o=?|--output=)json$/.test(word) ||
      (word === 'json' && ['-o', '--output'].includes(all[index - 1] ?? '')),
  );
}

/** Where the words for the other program begin. */
function lastOfOurs(words: readonly string[], verbAt: number): number {
  const first = words.findIndex((word, index) => index > verbAt && !word.startsWith('-'));
  return first < 0 ? words.length : first;
}
