/** A number of things: `1 cell`, `2 cells`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names that are shown of many. */
const MAX_NAMED = 5;

/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function namesSome(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(', ');
  return names.length <= MAX_NAMED ? shown : `${shown} and ${names.length - MAX_NAMED} more`;
}
