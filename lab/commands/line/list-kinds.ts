/**
 * What `list` can list, and the verb that lists it. Such a word is a kind only as the first one; `list cells …` goes on with
 * selectors, so a scenario that is called like a kind is `list cells runs` or `list scenario=runs`.
 */
export const LIST_KINDS = {
  cells: 'list',
  scenarios: 'scenarios',
  bugs: 'bugs',
  killers: 'killers',
  runs: 'runs',
  worlds: 'status',
} as const satisfies Readonly<Record<string, string>>;

/** A word after `list` that says what is listed. */
export type ListKind = keyof typeof LIST_KINDS;

/** The kind that these words begin with; undefined when they are all selectors. */
export function findListKind([first]: readonly string[]): ListKind | undefined {
  return (Object.keys(LIST_KINDS) as ListKind[]).find((kind) => kind === first);
}
