import { z } from 'zod';

/**
 * Closed lists. Each is one table from a name to everything about it. Types, schemas and pages derive from the table,
 * in the order of its rows.
 */

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

/** A schema that takes one name of a list; its description says what the field holds, and what each name means. */
export function oneOf<Name extends string>(
  meanings: Readonly<Record<Name, string>>,
  about: string,
): z.ZodEnum<{ [N in Name]: N }> {
  return z.enum(namesOf(meanings)).describe(`${about}. ${explainNames(meanings)}.`);
}
