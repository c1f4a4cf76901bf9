import { UsageError } from '../../model/errors/errors.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { findByWords, findNearWords, type SearchField } from '../../model/text/search.ts';

/** What can be searched, and how a person names it. */
interface Listed<Item> {
  /** What one of the items is: `bug`. */
  readonly kind: string;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  readonly fieldsOf: (item: Item) => readonly SearchField[];
  /** The command that lists all of them. */
  readonly all: string;
}

/** How many near ones an error names. */
const NEAR = 3;

/**
 * The items that have all of the words, best first; without words all of them, as they are. Where there are no items at
 * all, the list itself says so.
 *
 * @throws UsageError when nothing has them, with what is near and the command that lists all.
 */
export function findListed<Item>(
  words: readonly string[],
  { kind, items, nameOf, fieldsOf, all }: Listed<Item>,
): Item[] {
  if (words.length === 0 || items.length === 0) return [...items];
  const withName = (item: Item): SearchField[] => [{ text: nameOf(item), weight: 4 }, ...fieldsOf(item)];
  const found = findByWords(items, words, withName);
  if (found.length > 0) return found;
  const near = findNearWords(items, words, withName).slice(0, NEAR).map(nameOf);
  const hint =
    near.length > 0 ? ` (near: ${near.join(', ')})` : formatHint(words.join('-'), items.map(nameOf));
  throw new UsageError(`no ${kind} has ${words.map((word) => `"${word}"`).join(' and ')}${hint}`, {
    tryNext: all,
  });
}
