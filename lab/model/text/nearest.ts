import { distance } from 'fastest-levenshtein';

/** Returns the candidate closest to a mistyped word, when it is close enough to be meant. */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: { name: string; cost: number } | undefined;
  for (const name of candidates) {
    const known = name.toLowerCase();
    if (!mayBeMeant(typed, known)) continue;
    const cost = countSlips(typed, known);
    if (best === undefined || cost < best.cost) best = { name, cost };
  }
  return best !== undefined && best.cost <= allowedSlips(word.length) ? best.name : undefined;
}

/**
 * Whether one may be a slip of the other. A version is not a slip of another version: `1.21` does not mean `1.31`. Nobody
 * gets the first letter of a short word wrong: `cold` does not mean `told`.
 */
function mayBeMeant(typed: string, known: string): boolean {
  if (VERSION.test(typed) && VERSION.test(known)) return false;
  return typed.length > SHORT || isSwapped(typed, known) || typed[0] === known[0];
}

/** Words of up to this many letters are short. */
const SHORT = 5;
const VERSION = /^\d+(?:\.\d+)+$/;

/** How many slips make one of the other. Neighbours that are swapped, an end that is missing and a plural are one slip. */
function countSlips(typed: string, known: string): number {
  const isBeginning = typed.length >= 4 && known.startsWith(typed);
  const isPlural = [`${known}s`, `${known}es`].includes(typed);
  return isBeginning || isPlural || isSwapped(typed, known) ? 1 : distance(typed, known);
}

/** Whether they differ only in two neighbours that are swapped: `lsit`. */
function isSwapped(typed: string, known: string): boolean {
  const at = [...typed].findIndex((letter, index) => letter !== known[index]);
  const swapped = `${typed.slice(0, at)}${typed[at + 1] ?? ''}${typed[at] ?? ''}${typed.slice(at + 2)}`;
  return at >= 0 && swapped === known;
}

/** One slip in up to four letters, two in up to eight, and one for every three letters of what is longer. */
function allowedSlips(length: number): number {
  return length <= 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** Formats the nearest name as the end of a message: ` (did you mean "x"?)`, else lists what there is when short. */
export function formatHint(word: string, candidates: readonly string[]): string {
  const nearest = nearestName(word, candidates);
  if (nearest !== undefined) return ` (did you mean "${nearest}"?)`;
  return candidates.length === 0 || candidates.length > 12 ? '' : ` (there are: ${candidates.join(', ')})`;
}
