import { z } from 'zod';
import { explainNames, namesOf } from './names-of.ts';

/**
 * Closed lists. Each is one table from a name to everything about it. Types, schemas and pages derive from the table,
 * in the order of its rows. What needs only the names takes them of names-of.ts, and does not load the library of schemas.
 */

/** A schema that takes one name of a list; its description says what the field holds, and what each name means. */
export function oneOf<Name extends string>(
  meanings: Readonly<Record<Name, string>>,
  about: string,
): z.ZodEnum<{ [N in Name]: N }> {
  return z.enum(namesOf(meanings)).describe(`${about}. ${explainNames(meanings)}.`);
}
