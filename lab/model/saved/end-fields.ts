/** What tells ends apart, as `--what` names it. */
export const END_FIELDS = ['killer', 'level', 'how', 'process', 'reason'] as const;

/** One of {@link END_FIELDS}. */
export type EndField = (typeof END_FIELDS)[number];

/** Whether a word of `--what` is one of them: any other is a bound of a measure. */
export function isEndField(word: string): word is EndField {
  return (END_FIELDS as readonly string[]).includes(word);
}
