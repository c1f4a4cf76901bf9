/** The words that a list has more than once, each of them once. */
export function listTwice(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(words.filter((word) => seen.size === seen.add(word).size))];
}
