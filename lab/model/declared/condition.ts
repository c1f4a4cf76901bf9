import { z } from 'zod';
import { listFactNames, type FactOf } from '../variants/axis-list.ts';
import { AXES, AXIS_DEFINITIONS, type Axis } from '../axes/axes.ts';

/**
 * Conditions over cells, as rules, scenarios and bugs write them.
 *
 * Each named axis, fact or parameter must match one of its texts. A text is a glob (`*`, `?`), or one or more
 * comparators that must all hold (`'>=1.32'`, `'>=1.28 <1.32'`). A comparator compares the leading version of a value
 * as far as it is written: 1.34.2 is `<=1.34`. `{name}` in a text means that axis, fact or parameter of the same cell.
 * A value that is not known (the version of a local build) matches nothing.
 */

/** Name of one fact, which follows from the axes of a variant, or from the host. */
export type Fact = FactOf<typeof AXIS_DEFINITIONS> | 'hostMemoryMiB';

/** What follows from a variant in addition to its axes. Versions are those that the node will run. */
export const FACTS: readonly Fact[] = [
  ...listFactNames(AXIS_DEFINITIONS),
  /** Memory of the host, MiB; unknown where nobody asked the host. */
  'hostMemoryMiB',
];

/** The facts of a variant, without those that are not known. */
export type Facts = Readonly<Partial<Record<Fact, string>>>;

/** Names that a condition may use: axes and facts. */
export const CONDITION_KEYS: readonly (Axis | Fact)[] = [...AXES, ...FACTS];

/** Whether a name is an axis or a fact; other names are parameters. */
export function isConditionKey(name: string): boolean {
  return (CONDITION_KEYS as readonly string[]).includes(name);
}

/** Globs for the values of some axes; `*` means all named ones. Other axes keep their default. */
export const axisGlobs = z.partialRecord(z.enum(AXES), z.array(z.string()).min(1));

/** Schema of a condition. The parameters that it may name are known only when all files are read. */
export const conditionSchema = z
  .record(z.union([z.enum(CONDITION_KEYS), z.string()]), z.array(z.string().min(1)).min(1))
  .refine((condition) => Object.keys(condition).length > 0, { error: 'at least one axis, fact or parameter' })
  .describe(
    'Holds for cells whose axes, facts and parameters each match one of the texts: globs, or comparators like ">=1.32".',
  );

/** Values of a cell in addition to its axes: facts and parameters. */
export type Known = Readonly<Record<string, string | undefined>>;

/** A condition as read. */
export type Condition = z.infer<typeof conditionSchema>;

/** A condition with its exceptions. */
export interface Conditional {
  readonly when: Condition;
  readonly unless?: Condition | undefined;
}
