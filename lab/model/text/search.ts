/** A text that words may be found in, and how much it says about its item. */
export interface SearchField {
  readonly text: string;
  readonly weight: number;
}

/**
 * The items that have every word, best first. A whole word counts more than the beginning of one, and this more than
 * its inside; among equals the order stays.
 *
 * @param words several, or some with blanks; large and small letters are the same.
 */
export function findByWords<Item>(
  items: readonly Item[],
  words: readonly string[],
  fieldsOf: (item: Item) => readonly SearchField[],
): Item[] {
  return rank(items, words, fieldsOf)
    .filter(({ scores }) => scores.every((score) => score > 0))
    .map(({ item }) => item);
}

/** The items that have at least one of the words, those with most of them first: for a search that found nothing. */
export function findNearWords<Item>(
  items: readonly Item[],
  words: readonly string[],
  fieldsOf: (item: Item) => readonly SearchField[],
): Item[] {
  return rank(items, words, fieldsOf)
    .filter(({ scores }) => scores.some((score) => score > 0))
    .toSorted((one, other) => countFound(other.scores) - countFound(one.scores))
    .map(({ item }) => item);
}

function countFound(scores: readonly number[]): number {
  return scores.filter((score) => score > 0).length;
}

function rank<Item>(
  items: readonly Item[],
  words: readonly string[],
  fieldsOf: (item: Item) => readonly SearchField[],
): { item: Item; scores: number[] }[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== '');
  const total = (scores: readonly number[]): number => scores.reduce((sum, score) => sum + score, 0);
  return items
    .map((item) => {
      const fields = fieldsOf(item).map(({ text, weight }) => ({ text: text.toLowerCase(), weight }));
      const scores = wanted.map((word) =>
        Math.max(0, ...fields.map(({ text, weight }) => weight * scoreOf(text, word))),
      );
      return { item, scores };
    })
    .toSorted((one, other) => total(other.scores) - total(one.scores));
}

/** How well a text has a word: 4 as a whole text, 3 as a word of it, 2 as the beginning of one, 1 inside, else 0. */
function scoreOf(text: string, word: string): number {
  // Punctuation is in nearly every text, and says nothing.
  if (![...word].some(isLetter)) return 0;
  if (text === word) return 4;
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
    const begins = !isLetter(text[at - 1]);
    const ends = !isLetter(text[at + word.length]);
    best = Math.max(best, begins && ends ? 3 : begins ? 2 : 1);
  }
  return best;
}

function isLetter(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
}
