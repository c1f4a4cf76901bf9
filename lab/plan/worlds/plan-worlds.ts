import {
  AXES,
  AXIS_DEFINITIONS,
  DEFAULT_VARIANT,
  readVariant,
  variantName,
  type Axis,
  type Variant,
} from '../../model/axes/axes.ts';
import type { AxisDefinition } from '../../model/variants/axis.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { NODE_SETTINGS } from '../../model/declared/node-settings.ts';
import { deriveFacts } from '../variants/facts.ts';
import { appliesTo } from '../variants/match-condition.ts';

/** How a world comes up. */
export type WorldWay = 'restored' | 'derived' | 'built';

/** How a world comes to be. */
export interface PlannedWorld {
  /** Canonical variant name. */
  readonly name: string;
  readonly variant: Variant;
  readonly way: WorldWay;
  /** Name of the world that it is derived from; absent where it is built from its image. */
  readonly parent?: string;
  /** Why it comes to be this way, in a clause. */
  readonly why: string;
  /** How many forks of it share its cells; absent: it runs them itself. */
  readonly lanes?: number;
}

/** What decides how worlds come to be, in addition to their variants. */
export interface WorldsContext {
  /** Canonical names of the worlds that are saved. */
  readonly saved: ReadonlySet<string>;
  /** Build every world from its image. */
  readonly cold?: boolean;
}

/** Worlds that share a parent which nobody asked for pay for it from this number on. */
const WORTH_A_PARENT = 2;

/**
 * Plans how each world comes to be: derived from a saved world that differs from it only on axes that can be changed
 * in it, or built from its image. Parents come before the worlds that are derived from them. A parent that nobody asked
 * for is added where two or more worlds need it. Pure.
 *
 * @param variants one for each world, in the order in which they are wanted.
 */
export function planWorlds(
  variants: readonly Variant[],
  matrix: Matrix,
  { saved, cold = false }: WorldsContext,
): PlannedWorld[] {
  const wanted = variants.map((variant) => {
    const name = variantName(variant);
    return { name, variant, found: saved.has(name) || cold ? undefined : findParent(variant, matrix) };
  });
  const names = new Set([...saved, ...wanted.map(({ name }) => name)]);
  const children = new Map<string, { variant: Variant; count: number }>();
  for (const { found } of wanted) {
    if (found?.variant === undefined) continue;
    const name = variantName(found.variant);
    children.set(name, { variant: found.variant, count: (children.get(name)?.count ?? 0) + 1 });
  }
  const added = [...children].flatMap(([name, { variant, count }]): PlannedWorld[] =>
    names.has(name) || count < WORTH_A_PARENT
      ? []
      : [{ name, variant, way: 'built', why: `${String(count)} worlds are derived from it` }],
  );
  const available = new Set([...names, ...added.map(({ name }) => name)]);
  const planned = wanted.map(({ name, variant, found }): PlannedWorld => {
    if (saved.has(name) && !cold) return { name, variant, way: 'restored', why: 'it is saved' };
    if (found === undefined) return { name, variant, way: 'built', why: '--cold' };
    if (found.variant === undefined) return { name, variant, way: 'built', why: found.why };
    const parent = variantName(found.variant);
    if (available.has(parent)) return { name, variant, way: 'derived', parent, why: found.why };
    return { name, variant, way: 'built', why: `${parent} is not saved, and nothing else needs it` };
  });
  const [parents, others] = [true, false].map((isParent) =>
    planned.filter(({ name }) => children.has(name) === isParent),
  );
  return [...added, ...(parents ?? []), ...(others ?? [])];
}

/** What a world can be derived from. */
interface Parent {
  /** Absent: no world. */
  readonly variant?: Variant;
  readonly why: string;
}

/**
 * Finds the variant that a world can be derived from: the same with the base value on every axis that can be changed in a
 * saved world. On the axes that a `cold` statement of the matrix names, the parent has the value of the world.
 */
export function findParent(variant: Variant, matrix: Matrix): Parent {
  const facts = deriveFacts(variant, matrix);
  const bases = listBases(variant, matrix);
  const changeable = AXES.filter((axis) => variant[axis] !== bases[axis]);
  if (changeable.length === 0) return { why: describeCold(variant, matrix) };
  const cold = matrix.cold.filter((statement) => appliesTo(statement, variant, facts));
  const isKept = ({ when }: (typeof cold)[number], axis: Axis): boolean => Object.hasOwn(when, axis);
  const speaksOfAll = cold.some((statement) => !changeable.some((axis) => isKept(statement, axis)));
  const changed = changeable.filter(
    (axis) => !speaksOfAll && !cold.some((statement) => isKept(statement, axis)),
  );
  if (changed.length === 0) return { why: cold.map(({ reason }) => reason).join('; ') };
  const values = Object.fromEntries(changed.map((axis) => [axis, bases[axis]]));
  const words = changed.map((axis) => `${axis}=${variant[axis]}`);
  return { variant: { ...variant, ...values }, why: `it differs by ${words.join(', ')}` };
}

/** On each axis the value of the world that this one can be derived from, if nothing else forbids it. */
function listBases(variant: Variant, matrix: Matrix): Variant {
  const values = readVariant(variant);
  const baseOf = (axis: AxisDefinition<Axis, unknown, string>): string => {
    const { name } = axis;
    if (axis.base !== undefined) return axis.base(values[name]);
    if (name === 'knobs' && listFixedSettings(variant, matrix).length > 0) return variant[name];
    return matrix.axes[name].cold === undefined ? DEFAULT_VARIANT[name] : variant[name];
  };
  const bases = AXIS_DEFINITIONS.map((axis) => [axis.name, baseOf(axis)] as const);
  return Object.fromEntries(bases) as Variant;
}

/** What the knobs of a variant set that a running node cannot be given. */
function listFixedSettings({ knobs }: Variant, matrix: Matrix): string[] {
  const bundle = matrix.knobs[knobs] ?? {};
  return ['kernelArguments' as const, ...NODE_SETTINGS].filter((field) => field in bundle);
}

function describeFixed(variant: Variant, matrix: Matrix): string {
  return `${listFixedSettings(variant, matrix).join(', ')}: set before the cluster is made`;
}

/** Why a world that differs from the default one only on axes that cannot be changed is built from its image. */
function describeCold(variant: Variant, matrix: Matrix): string {
  const reasons = AXES.filter((axis) => variant[axis] !== DEFAULT_VARIANT[axis]).map(
    (axis) => `${axis}=${variant[axis]}: ${matrix.axes[axis].cold ?? describeFixed(variant, matrix)}`,
  );
  return reasons.length === 0 ? 'others are derived from it' : reasons.join('; ');
}
