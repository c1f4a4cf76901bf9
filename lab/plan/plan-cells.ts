import { AXES, DEFAULT_VARIANT, variantName, type Variant } from '../model/axes.ts';
import { UsageError } from '../model/errors.ts';
import { FORMAT_VERSION, type ListResult } from '../model/formats.ts';
import type { LoadedScenario, Outcome } from '../model/scenario.ts';
import { estimateCell, estimateWorld, type PastTiming } from './estimate.ts';
import { expandSet, selectCells, type Candidate } from './expand-cells.ts';
import { findRefusal, findUnmetRequirement, outcomeFor, type Refusal } from './find-rule.ts';
import type { Config } from './parse-config.ts';
import { parseSelector } from './parse-selector.ts';
import { parseVariant, usageErrorOf } from './parse-variant.ts';

/** A cell that will be run. */
export interface PlannedCell {
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: LoadedScenario;
  /** What must happen on this variant. */
  readonly outcome: Outcome;
  /** Named sets that have this cell. */
  readonly sets: readonly string[];
  readonly estimateSeconds: number;
}

/** A cell that a rule refuses. */
export interface SkippedCell extends Refusal {
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
}

/** What a selector comes to. Cells of one world follow each other; the default variant comes first. */
export interface Plan {
  readonly cells: readonly PlannedCell[];
  readonly skipped: readonly SkippedCell[];
  /** Variants that need a world, in the order in which they are run. */
  readonly worlds: readonly Variant[];
  readonly estimateSeconds: number;
  /** Memory of the largest world; worlds run one after another. */
  readonly memoryMiB: number;
}

/**
 * Plans the cells that words select: expands, applies rules, orders and estimates.
 *
 * @throws UsageError naming every word that is wrong or matches nothing.
 */
export function planCells(
  config: Config,
  words: readonly string[],
  timings: readonly PastTiming[] = [],
): Plan {
  const { selector, problems } = parseSelector(config, words);
  if (problems.length > 0) throw usageErrorOf(problems);
  const selected = selectCells(config, selector);
  if (selected.problems.length > 0) throw usageErrorOf(selected.problems);

  const membership = listMembership(config);
  const cells: PlannedCell[] = [];
  const skipped: SkippedCell[] = [];
  for (const { address, variant, loaded } of [...selected.cells].sort(compareCandidates)) {
    const refusal = findRefusal(config.matrix, variant) ?? findUnmetRequirement(loaded.scenario, variant);
    if (refusal !== undefined) {
      skipped.push({ address, variant, scenario: loaded.scenario.name, ...refusal });
      continue;
    }
    const outcome = outcomeFor(loaded.scenario, variant);
    const sets = membership.get(address) ?? [];
    const estimateSeconds = estimateCell(timings, loaded.scenario.name, outcome);
    cells.push({ address, variant, scenario: loaded, outcome, sets, estimateSeconds });
  }
  const worlds = [...new Map(cells.map(({ variant }) => [variantName(variant), variant])).values()];
  const worldSeconds = worlds.map((variant) => estimateWorld(timings, variantName(variant)));
  return {
    cells,
    skipped,
    worlds,
    estimateSeconds: sum(worldSeconds) + sum(cells.map((cell) => cell.estimateSeconds)),
    memoryMiB: Math.max(0, ...worlds.map((variant) => countNodes(variant) * config.matrix.machine.memoryMiB)),
  };
}

/**
 * Returns the variant that words describe, for verbs that need one world.
 *
 * @throws UsageError when a word is wrong, or when a rule refuses the variant.
 */
export function getBuildableVariant(config: Config, words: readonly string[]): Variant {
  const variant = parseVariant(config.matrix, words);
  const refusal = findRefusal(config.matrix, variant);
  if (refusal === undefined) return variant;
  throw new UsageError(`${variantName(variant)} cannot be built: ${refusal.reason} (rule ${refusal.rule})`, {
    tryNext: `read ${refusal.source}, or choose another variant`,
  });
}

/** Number of machines of a variant: `1+2` is three. */
export function countNodes(variant: Variant): number {
  return sum(variant.nodes.split('+').map(Number));
}

/** A plan in the format of `list --json`. */
export function toListResult(plan: Plan): ListResult {
  return {
    formatVersion: FORMAT_VERSION,
    cells: plan.cells.map(({ address, variant, scenario, sets, estimateSeconds }) => ({
      address,
      variant: { ...variant },
      scenario: scenario.scenario.name,
      set: [...sets],
      estimateSeconds,
    })),
    skipped: plan.skipped.map(({ address, rule, reason, source }) => ({ address, rule, reason, source })),
    totals: {
      cells: plan.cells.length,
      skipped: plan.skipped.length,
      worlds: plan.worlds.length,
      estimateSeconds: plan.estimateSeconds,
      memoryMiB: plan.memoryMiB,
    },
  };
}

function listMembership(config: Config): Map<string, string[]> {
  const membership = new Map<string, string[]>();
  for (const name of Object.keys(config.matrix.sets)) {
    for (const { address } of expandSet(config, name)) {
      membership.set(address, [...(membership.get(address) ?? []), name]);
    }
  }
  return membership;
}

/** Variants closest to the default first (they share most of the cache), then by name; scenarios by name. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    countChanges(a.variant) - countChanges(b.variant) ||
    compareText(variantName(a.variant), variantName(b.variant)) ||
    compareText(a.loaded.scenario.name, b.loaded.scenario.name)
  );
}

function countChanges(variant: Variant): number {
  return AXES.filter((axis) => variant[axis] !== DEFAULT_VARIANT[axis]).length;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
