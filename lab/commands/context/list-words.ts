/** What `list` can list. After `list`, such a word says what is listed, and is not a selector. */
const LIST_WORDS = ['cells', 'scenarios', 'bugs', 'killers', 'runs', 'worlds'] as const;

export type ListWord = (typeof LIST_WORDS)[number];

/** Whether a word after `list` says what is listed. */
export function isListKind(word: string): word is ListWord {
  return (LIST_WORDS as readonly string[]).includes(word);
}
