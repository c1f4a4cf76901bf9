import { z } from 'zod';
import { patternSchema } from '../text/pattern.ts';

/**
 * Parameters: what varies in the workload of a scenario, as an axis varies the cluster. A scenario declares them, and
 * its files name them as `${limit}`.
 */

/** A name is a word in selectors and conditions, and a variable in scripts. */
const NAME = /^[a-z][a-zA-Z0-9]*$/;
/** A value is a part of addresses, of command lines and of folder names. */
const VALUE = /^[\w.+:@/=-]+$/;

const VALUE_MEANS =
  'text of letters, digits and . + : @ / = _ -, a whole number, true or false (a version such as 1.10 in quotes)';

const nameSchema = z
  .string()
  .regex(NAME, 'a name of letters and digits that begins with a small letter')
  // Values are kept by their names in plain objects, which have these already.
  .refine((name) => !(name in Object.prototype), 'a name that is not built into JavaScript');

const valueSchema = z.union([z.string().regex(VALUE, VALUE_MEANS), z.number().int(), z.boolean()], {
  error: VALUE_MEANS,
});

const parameterSchema = z.strictObject({
  about: z.string().min(1).describe('What varies, in one line.'),
  values: z
    .array(valueSchema)
    .min(1)
    .describe('Named values. A number stays a number where it is the whole field of a manifest.'),
  default: valueSchema.describe('The value of cells that name none.'),
  patterns: z
    .array(patternSchema)
    .default([])
    .describe(
      'Regular expressions (RE2 syntax, whole value) of texts accepted beside the named values: exact versions.',
    ),
  example: z.string().optional().describe('A value that the patterns accept, for messages.'),
});

/** Schema of `parameters` in `scenario.yaml`. */
export const parametersSchema = z
  .record(nameSchema, parameterSchema)
  .default({})
  .describe(
    'What varies in the workload: `${name}` stands for its value in manifests/, later/ and this file; in a script it is a shell variable.',
  );

/** One declared parameter. */
export type Parameter = z.infer<typeof parameterSchema>;

/** What a scenario declares: name → parameter, in the order of the file. */
export type Parameters = z.infer<typeof parametersSchema>;

/** A value as it is in a filled file. */
export type ParameterValue = z.infer<typeof valueSchema>;

/** Values as text, by name in declared order. */
export type ParameterTexts = Readonly<Record<string, string>>;

/** Schema of the values in what is saved and printed. */
export const parameterTextsSchema = z
  .record(nameSchema, z.string())
  .describe('Value of each parameter of the scenario; absent when it declares none.');

/** Whether a text can be a value: no character in it has a meaning in an address or a selector. */
export function isParameterText(text: string): boolean {
  return VALUE.test(text);
}

/** Values as a reader sees them: `limit=64Mi, init=tini`. */
export function describeParameters(texts: ParameterTexts): string {
  return Object.entries(texts)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** Values as the field `parameters` of what is saved and printed: absent when the scenario declares none. */
export function parametersField(texts: ParameterTexts): { parameters?: Record<string, string> } {
  return Object.keys(texts).length === 0 ? {} : { parameters: { ...texts } };
}
