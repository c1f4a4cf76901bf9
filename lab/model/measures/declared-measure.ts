import { z } from 'zod';
import { oneOf } from '../text/closed-list.ts';
import { MANY, SUBJECT_MEANINGS, UNIT_MEANINGS, type MeasureRow } from './measure-row.ts';
import { BUILT_IN_MEASURES, builtInRow, isPrintedBy } from './measure-table.ts';

/**
 * Measures that a scenario declares itself, because no other one has them: its samplers print them. `cell.json` keeps the
 * declarations, so that a saved cell is judged without the project.
 */

/** The name of a measure, built in or declared. */
export const measureNameSchema = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of lower-case words joined by -');

const saneLimitSchema = z.number({ error: 'a number, in the unit of the measure' });

const declaredMeasureSchema = z.strictObject({
  unit: oneOf(UNIT_MEANINGS, 'The unit of every number of it; left out for a plain count').optional(),
  of: oneOf(SUBJECT_MEANINGS, 'What it is of'),
  means: z.string().min(1).describe('What it is, in one line.'),
  sane: z
    .tuple([saneLimitSchema, saneLimitSchema])
    .refine(([least, most]) => least <= most, 'the smaller number first')
    .default([0, MANY])
    .describe(
      'The smallest and the largest number that can be: a sampler that prints another one is broken.',
    ),
});

/** Schema of `measures` in `scenario.yaml` and in `cell.json`: name → what it is. */
export const declaredMeasuresSchema = z.record(measureNameSchema, declaredMeasureSchema);

/** What a scenario declares: name → what it is, in the order of the file. */
export type DeclaredMeasures = Readonly<z.infer<typeof declaredMeasuresSchema>>;

/** What is known of a measure: a built-in one, or one that is declared; undefined for any other name. */
export function findMeasureRow(name: string, declared: DeclaredMeasures = {}): MeasureRow | undefined {
  const builtIn = builtInRow(name);
  if (builtIn !== undefined || !Object.hasOwn(declared, name)) return builtIn;
  const { unit = '', of, means, sane } = declared[name]!;
  const [least, most] = sane;
  return { unit, of, from: 'sampler', means, least, most };
}

/** The names that a scenario or a cell may use: its own first. */
export function listMeasures(declared: DeclaredMeasures): string[] {
  return [...Object.keys(declared), ...BUILT_IN_MEASURES];
}

/** What a saved cell says of its measures. */
export interface SavedMeasures {
  /** Absent in cells that were saved before scenarios declared measures. */
  readonly measures?: DeclaredMeasures | undefined;
  readonly samplers?: readonly { readonly script: string }[] | undefined;
}

/** What is shown for a measure of an older cell that did not save what it is. */
const UNDECLARED: MeasureRow = {
  unit: '',
  of: 'node',
  from: 'sampler',
  means: 'a number of a sampler; the cell did not save what it is',
  least: -Infinity,
  most: Infinity,
};

/** What is known of a measure of a saved cell; undefined when the cell has no such measure. */
export function findSavedRow(
  name: string,
  { measures, samplers = [] }: SavedMeasures,
): MeasureRow | undefined {
  const known = findMeasureRow(name, measures);
  if (known !== undefined || measures !== undefined) return known;
  return samplers.some(({ script }) => isPrintedBy(name, script)) ? UNDECLARED : undefined;
}
