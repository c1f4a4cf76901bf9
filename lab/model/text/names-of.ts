/** The names of a table, in its order. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[];
}

/** What each name means, in one line of Markdown: `` `crash`: at once; `shutdown`: in good order``. */
export function explainNames(meanings: Readonly<Record<string, string>>): string {
  return Object.entries(meanings)
    .map(([name, means]) => `\`${name}\`: ${means}`)
    .join('; ');
}
