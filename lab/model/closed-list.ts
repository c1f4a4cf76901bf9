import { z } from 'zod';

/**
 * Closed lists: each is one table, from a name to what is known of it. Types, schemas and pages are made of the table;
 * the order of its rows is the order in which they are told.
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
