/** What a table has under a word of a stranger: a plain object also answers to `constructor`, `toString` and their like. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
