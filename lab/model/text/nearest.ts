import { distance } from 'fastest-levenshtein';

/** Returns the candidate closest to a mistyped word, when it is close enough to be meant. */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; cost: number } | undefined;
  for (const name of candidates) {
    const cost = distance(word.toLowerCase(), name.toLowerCase());
    if (best === undefined || cost < best.cost) best = { name, cost };
  }
  if (best === undefined || best.cost > Math.max(2, Math.floor(word.length / 3))) return undefined;
  // Two short words that share next to nothing are close only by count.
  return best.cost * 2 <= Math.max(word.length, best.name.length) ? best.name : undefined;
}

/** Formats the nearest name as the end of a message: ` (did you mean "x"?)`, else lists what there is when short. */
export function formatHint(word: string, candidates: readonly string[]): string {
  const nearest = nearestName(word, candidates);
  if (nearest !== undefined) return ` (did you mean "${nearest}"?)`;
  return candidates.length === 0 || candidates.length > 12 ? '' : ` (there are: ${candidates.join(', ')})`;
}
