import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { findByWords, findNearWords, type SearchField } from '../../model/text/search.ts';

/** A list that words search in. */
interface Listed<Item> {
  /** What an item is called: `bug`. */
  readonly kind: string;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  /** The other texts in which words are searched for. */
  readonly fieldsOf: (item: Item) => readonly SearchField[];
  /** The command that lists all items. */
  readonly all: string;
}

/** How many similar names an error has. */
const MAX_SIMILAR = 3;

/**
 * Returns the items that have all of the words, best matches first; without words, all items in their order. An empty list
 * stays empty: the page of the list says so.
 *
 * @throws UsageError when no item matches, with similar names and the command that lists all.
 */
export function findListed<Item>(
  words: readonly string[],
  { kind, items, nameOf, fieldsOf, all }: Listed<Item>,
): Item[] {
  if (words.length === 0 || items.length === 0) return [...items];
  const withName = (item: Item): SearchField[] => [{ text: nameOf(item), weight: 4 }, ...fieldsOf(item)];
  const found = findByWords(items, words, withName);
  if (found.length > 0) return found;
  const similar = findNearWords(items, words, withName).slice(0, MAX_SIMILAR).map(nameOf);
  const hint =
    similar.length > 0 ? ` (near: ${similar.join(', ')})` : formatHint(words.join('-'), items.map(nameOf));
  throw new UsageError(`no ${kind} has ${words.map((word) => `"${word}"`).join(' and ')}${hint}`, {
    tryNext: all,
  });
}
