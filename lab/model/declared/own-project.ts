import { z } from 'zod';
import { AXES } from '../axes/axes.ts';
import { componentsSchema, debianArchiveSchema } from '../components/component-schema.ts';
import { formatVersionSchema } from '../files/format-version.ts';
import { matrixSchema } from './matrix.ts';

/**
 * Schemas of the files of a project of somebody's own: `whodunit.yaml`, and what its `matrix.yaml` and `components.yaml`
 * add to those of whodunit.
 */

/** What of the catalogue may be replaced, and what a person calls it. */
const REPLACEABLE = {
  scenarios: 'Scenarios',
  bugs: 'Bugs',
  suites: 'Suites of matrix.yaml',
  knobs: 'Knobs of matrix.yaml',
  sets: 'Sets of matrix.yaml',
  rules: 'Rules of matrix.yaml',
  startFailures: 'Start failures of matrix.yaml',
  cold: 'Statements under `cold` of matrix.yaml',
  notes: 'Notes of matrix.yaml',
  components: 'Components of components.yaml',
} as const;

type Replaceable = keyof typeof REPLACEABLE;

const namesOf = (what: string) =>
  z.array(z.string()).default([]).describe(`${what} that yours of the same name stand for.`);

const replacesSchema = z.strictObject(
  Object.fromEntries(Object.entries(REPLACEABLE).map(([name, what]) => [name, namesOf(what)])) as Record<
    Replaceable,
    ReturnType<typeof namesOf>
  >,
);

/** Schema of `whodunit.yaml`. The folder that has it is a project. */
export const ownProjectSchema = z.strictObject({
  formatVersion: formatVersionSchema,
  replaces: replacesSchema
    .prefault({})
    .describe(
      'Names of the catalogue of whodunit that yours replace. Any other name that both have is an error.',
    ),
});

/** What of the catalogue is replaced: by kind, the names. */
export type Replaces = z.infer<typeof replacesSchema>;

const { machine, axes, suites, knobs, sets, rules, startFailures, cold, notes } = matrixSchema.shape;
const { values, patterns } = axes.valueType.shape;

/** Schema of the `matrix.yaml` of a project: what it adds. */
export const matrixOverlaySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  machine: machine.partial().prefault({}).describe('Size of one node, where yours has another one.'),
  axes: z
    .partialRecord(
      z.enum(AXES),
      z.strictObject({
        values: z.array(values.element).default([]).describe('More named values. The default stays.'),
        patterns,
      }),
    )
    .default({})
    .describe('More values of axes.'),
  suites: suites.default({}),
  knobs: knobs.default({}),
  sets: sets.default({}),
  rules: rules.default([]),
  startFailures,
  cold,
  notes,
});

/** What the `matrix.yaml` of a project adds. */
export type MatrixOverlay = z.infer<typeof matrixOverlaySchema>;

const { components } = componentsSchema.shape;
/** One component of the catalogue, whole. */
export const wholeComponentSchema = components.valueType;

const addedComponentSchema = wholeComponentSchema.partial().extend({
  versions: wholeComponentSchema.shape.versions,
  // Its default would be a field that nobody has written.
  anyVersion: wholeComponentSchema.shape.anyVersion
    .unwrap()
    .optional()
    .describe('Any exact version that a source resolves is accepted too.'),
});

/** Schema of the `components.yaml` of a project: what it adds. */
export const componentsOverlaySchema = z.strictObject({
  formatVersion: formatVersionSchema,
  debian: debianArchiveSchema.optional(),
  components: z
    .record(components.keyType, addedComponentSchema)
    .default({})
    .describe('Components of your own; of one that whodunit has only `versions`, which are added.'),
});

/** What the `components.yaml` of a project adds. */
export type ComponentsOverlay = z.infer<typeof componentsOverlaySchema>;
