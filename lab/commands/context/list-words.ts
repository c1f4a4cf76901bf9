/** The kinds of `whodunit list`. As the first word after `list`, each of these is a kind and not a selector. */
const LIST_WORDS = ['cells', 'scenarios', 'bugs', 'killers', 'runs', 'worlds'] as const;

export type ListWord = (typeof LIST_WORDS)[number];

/** Whether a word after `list` is a kind. */
export function isListKind(word: string): word is ListWord {
  return (LIST_WORDS as readonly string[]).includes(word);
}
