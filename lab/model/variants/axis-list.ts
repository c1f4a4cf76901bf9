import { z } from 'zod';
import type { AxisDefinition, Declared, ReadValue } from './axis.ts';
import { UsageError } from '../errors/errors.ts';

/** Axes in canonical order; everything here follows from such a list. The lab's own is in axes.ts. */
export type AxisList = readonly AxisDefinition<string, unknown, string>[];

/** Names of the axes of a list. */
export type NameOf<List extends AxisList> = List[number]['name'];

/** One value on every axis of a list, as it is written. */
export type VariantOf<List extends AxisList> = Readonly<Record<NameOf<List>, string>>;

/** The same, each value read by its axis. */
export type ValuesOf<List extends AxisList> = {
  readonly [Definition in List[number] as Definition['name']]: ReturnType<Definition['parse']>;
};

/** Names of the facts that follow from the axes of a list. */
export type FactOf<List extends AxisList> = FactNameOf<List[number]>;
type FactNameOf<Definition> = Definition extends AxisDefinition<string, unknown, infer Name> ? Name : never;

/** Names of the axes. */
export function listNames<const List extends AxisList>(axes: List): readonly NameOf<List>[] {
  return axes.map(({ name }) => name);
}

/** Names of the facts. */
export function listFactNames<const List extends AxisList>(axes: List): readonly FactOf<List>[] {
  return axes.flatMap(({ facts }) => Object.keys(facts)) as FactOf<List>[];
}

/** The variant that has the default on every axis. */
export function defaultVariantOf<const List extends AxisList>(axes: List): VariantOf<List> {
  return Object.freeze(
    Object.fromEntries(axes.map(({ name, defaultValue }) => [name, defaultValue])) as VariantOf<List>,
  );
}

/** Schema of a variant in a saved file. A file from before an axis existed has the default of that axis. */
export function variantSchemaOf<const List extends AxisList>(
  axes: List,
): z.ZodObject<Record<NameOf<List>, z.ZodDefault<z.ZodString>>> {
  const fields = axes.map((axis) => [axis.name, fieldOf(axis)]);
  return z.object(Object.fromEntries(fields) as Record<NameOf<List>, z.ZodDefault<z.ZodString>>);
}

function fieldOf(axis: AxisList[number]): z.ZodDefault<z.ZodString> {
  const { name, defaultValue } = axis;
  return z
    .string()
    .refine((written) => isReadable(axis, written), { error: `a value of the axis ${name}` })
    .default(defaultValue)
    .describe(`Value on the axis ${name}; default: \`${defaultValue}\`.`);
}

/** Whether an axis can read a value. */
export function isReadable(axis: AxisList[number], written: string): boolean {
  try {
    axis.parse(written);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** What was read, by axis and as it was written: a plan has few values and 100,000 variants of them. */
const readings = new WeakMap<AxisList[number], Map<string, unknown>>();

/** Reads the value of a variant on one axis. */
export function readValue<Definition extends AxisList[number]>(
  axis: Definition,
  variant: Readonly<Record<string, string>>,
): ReturnType<Definition['parse']> {
  const written = variant[axis.name] ?? axis.defaultValue;
  let known = readings.get(axis);
  if (known === undefined) readings.set(axis, (known = new Map<string, unknown>()));
  let value = known.get(written);
  if (value === undefined) known.set(written, (value = axis.parse(written)));
  return value as ReturnType<Definition['parse']>;
}

/** Reads every value of a variant. */
export function readValues<const List extends AxisList>(
  axes: List,
  variant: Readonly<Record<string, string>>,
): ValuesOf<List> {
  const values: Record<string, unknown> = {};
  for (const axis of axes) values[axis.name] = readValue(axis, variant);
  return values as ValuesOf<List>;
}

/** The facts that follow from values, without those that are not known. */
export function deriveFactsOf<const List extends AxisList>(
  axes: List,
  values: Readonly<Record<string, unknown>>,
  declared: Declared,
): Readonly<Partial<Record<FactOf<List>, string>>> {
  const read = ((axis) => values[axis.name]) as ReadValue;
  const facts: Record<string, string> = {};
  for (const axis of axes) {
    for (const [name, derive] of Object.entries(axis.facts)) {
      const fact = derive(read, declared);
      if (fact !== undefined) facts[name] = fact;
    }
  }
  return facts as Partial<Record<FactOf<List>, string>>;
}

/** The components that values ask for: name → version, in the order of the axes. */
export function listComponentsOf(
  axes: AxisList,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.assign({}, ...axes.map((axis) => axis.components?.(values[axis.name]) ?? {})) as Record<
    string,
    string
  >;
}
