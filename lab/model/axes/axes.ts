/**
 * The axes of the lab, and what follows from their list: variants, their names, schema and facts. A variant is one
 * value on every axis, as it is written; `readVariant` and `valueOf` read the values.
 */
import {
  defaultVariantOf,
  listNames,
  readValue,
  readValues,
  variantSchemaOf,
  type NameOf,
  type ValuesOf,
  type VariantOf,
} from '../variants/axis-list.ts';
import { cgroup } from './cgroup.ts';
import { containerd } from './containerd.ts';
import { drivers } from './drivers.ts';
import { kernel } from './kernel.ts';
import { knobs } from './knobs.ts';
import { kubernetes } from './kubernetes.ts';
import { nodes } from './nodes.ts';
import { os } from './os.ts';
import { runtime } from './runtime.ts';
import { InternalError } from '../errors/errors.ts';
import { nameVariant, namesValuesOf } from '../variants/variant-name.ts';

/** Every axis, in canonical order, which is the order in names. */
export const AXIS_DEFINITIONS = [
  os,
  kubernetes,
  kernel,
  cgroup,
  drivers,
  containerd,
  runtime,
  nodes,
  knobs,
] as const;

type Definitions = typeof AXIS_DEFINITIONS;

/** Name of one axis. */
export type Axis = NameOf<Definitions>;

/** One value on every axis, as it is written. */
export type Variant = VariantOf<Definitions>;

/** One value on every axis, read. */
export type VariantValues = ValuesOf<Definitions>;

/** The axes in canonical order. */
export const AXES: readonly Axis[] = listNames(AXIS_DEFINITIONS);

/** Axes whose values are versions of programs, so that they have an order. A suite is a name for many programs. */
export const VERSION_AXES: readonly Axis[] = AXIS_DEFINITIONS.filter(
  ({ name, facts }) => name !== 'os' && Object.keys(facts).some((fact) => fact.endsWith('Version')),
).map(({ name }) => name);

/** The default value of every axis. */
export const DEFAULT_VARIANT: Variant = defaultVariantOf(AXIS_DEFINITIONS);

/** Schema of a variant in a saved file. A file from before an axis existed has the default of that axis. */
export const variantSchema = variantSchemaOf(AXIS_DEFINITIONS).describe(
  'The cluster: its value on each axis.',
);

/**
 * Reads every value of a variant.
 *
 * @throws UsageError for a value that its axis cannot read. Planner and schema refuse such values first.
 */
export function readVariant(variant: Variant): VariantValues {
  return readValues(AXIS_DEFINITIONS, variant);
}

/**
 * Reads the value of a variant on one axis.
 *
 * @throws UsageError like `readVariant`.
 */
export function valueOf<Name extends Axis>(variant: Variant, axis: Name): VariantValues[Name] {
  const definition = AXIS_DEFINITIONS.find(({ name }) => name === axis);
  if (definition === undefined) throw new InternalError(`there is no axis ${axis}`);
  return readValue(definition, variant) as VariantValues[Name];
}

/** Returns the canonical name of a variant: its non-default values in axis order, or `default`. */
export function variantName(variant: Variant): string {
  return nameVariant(AXIS_DEFINITIONS, variant);
}

/** Whether a name of a variant, such as `v1_crun`, names only values that the variant has. `default` names none. */
export function namesOnly(variant: Variant, name: string): boolean {
  return name === 'default' || namesValuesOf(AXIS_DEFINITIONS, variant, name);
}
