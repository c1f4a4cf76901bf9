import { AXES, type Variant } from '../model/axes.ts';
import type { Matrix } from '../model/matrix.ts';
import type { Outcome, Scenario } from '../model/scenario.ts';
import { matchesVariant } from './match-glob.ts';

/** Why a cell is not run: the id of a rule, its reason, and where the reason can be checked. */
export interface Refusal {
  readonly rule: string;
  readonly reason: string;
  readonly source: string;
}

/** Returns the first rule that refuses a variant; undefined when it can be built. */
export function findRefusal(matrix: Matrix, variant: Variant): Refusal | undefined {
  const rule = matrix.rules.find(
    ({ when, unless }) =>
      matchesVariant(when, variant) && !(unless !== undefined && matchesVariant(unless, variant)),
  );
  return rule === undefined ? undefined : { rule: rule.id, reason: rule.reason, source: rule.source };
}

/** Returns why a scenario cannot run on a variant (its own `requires`); undefined when it can. */
export function findUnmetRequirement(scenario: Scenario, variant: Variant): Refusal | undefined {
  const requires = scenario.requires;
  if (requires === undefined || matchesVariant(requires, variant)) return undefined;
  const needs = AXES.filter((axis) => requires[axis] !== undefined)
    .map((axis) => `${axis} ${requires[axis]?.join(' or ')}`)
    .join(' and ');
  const source = `scenarios/${scenario.name}/scenario.yaml`;
  return { rule: 'scenario-requires', reason: `the scenario requires ${needs}`, source };
}

/** Returns what must happen on a variant: `expect`, with the fields of the first matching entry of `variants`. */
export function outcomeFor(scenario: Scenario, variant: Variant): Outcome {
  const override = scenario.variants.find((entry) => matchesVariant(entry.when, variant));
  return Object.assign({}, scenario.expect, override?.expect);
}
