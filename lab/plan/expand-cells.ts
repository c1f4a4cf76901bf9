import { AXES, DEFAULT_VARIANT, variantName, type Axis, type Variant } from '../model/axes.ts';
import { cellAddress } from '../model/cell-address.ts';
import { DEFAULT_SET, type Matrix } from '../model/matrix.ts';
import type { LoadedScenario } from '../model/scenario.ts';
import type { Config } from './parse-config.ts';
import type { Selector } from './parse-selector.ts';
import { formatHint } from '../model/nearest.ts';
import { compileGlob, matchGlob } from './match-glob.ts';
import { parseVariantName } from './parse-variant.ts';

/** A cell that a selector names, before rules. */
export interface Candidate {
  readonly address: string;
  /** Canonical name of the variant, which is the name of its world. */
  readonly name: string;
  readonly variant: Variant;
  readonly loaded: LoadedScenario;
}

/** Returns every combination of the given axis values; axes not named keep their default. */
export function expandVariants(axes: Readonly<Partial<Record<Axis, readonly string[]>>>): Variant[] {
  let variants: Variant[] = [DEFAULT_VARIANT];
  for (const axis of AXES) {
    const values = axes[axis];
    if (values === undefined) continue;
    variants = variants.flatMap((variant) =>
      [...new Set(values)].map((value) => ({ ...variant, [axis]: value })),
    );
  }
  return variants;
}

/** Returns the cells of a named set, each once. */
export function expandSet(config: Config, name: string): Candidate[] {
  const blocks = config.matrix.sets[name]?.blocks ?? [];
  return uniqueCells(
    blocks.flatMap((block) => {
      const axes = Object.fromEntries(
        Object.entries(block.variants).map(([axis, globs]) => [
          axis,
          globs.flatMap((glob) => matchingValues(config.matrix, axis as Axis, glob)),
        ]),
      );
      const scenarios = config.scenarios.filter(
        ({ scenario }) =>
          block.scenarios.some((glob) => matchGlob(glob, scenario.name)) &&
          !scenario.tags.some((tag) => block.withoutTags.includes(tag)),
      );
      return cross(expandVariants(axes), scenarios);
    }),
  );
}

/**
 * Returns the cells that a selector names, each once, and what is wrong with it.
 *
 * Axis words describe variants (or, after `set=`, filter the set). Without them the base is the named set, else
 * `quick`; a bare word that matches nothing there may still be a variant name or an address of any known variant.
 */
export function selectCells(config: Config, selector: Selector): { cells: Candidate[]; problems: string[] } {
  const problems: string[] = [];
  const described = Object.keys(selector.axes).length > 0;
  const hasSets = selector.sets.length > 0;
  let base: Candidate[];
  if (described && !hasSets) {
    base = cross(expandVariants(selector.axes), config.scenarios);
  } else {
    const names = Object.keys(config.matrix.sets);
    const globs = hasSets ? selector.sets : [DEFAULT_SET];
    const sets = names.filter((name) => globs.some((glob) => matchGlob(glob, name)));
    base = uniqueCells(sets.flatMap((name) => expandSet(config, name))).filter(({ variant }) =>
      AXES.every((axis) => selector.axes[axis]?.includes(variant[axis]) ?? true),
    );
  }
  const chosen = selector.globs.flatMap((glob) => {
    const matches = compileGlob(glob);
    let found = base.filter(
      ({ address, name, loaded }) => matches(address) || matches(loaded.scenario.name) || matches(name),
    );
    if (found.length === 0 && !described && !hasSets) found = cellsOfVariantName(config, glob);
    if (found.length === 0) problems.push(describeNoMatch(glob, base));
    return found;
  });
  const scenarios = chooseScenarios(config, selector);
  const cells = uniqueCells(selector.globs.length === 0 ? base : chosen).filter(({ loaded }) =>
    scenarios.has(loaded.scenario.name),
  );
  if (cells.length === 0 && problems.length === 0) problems.push('no cell matches all of these words');
  return { cells, problems };
}

/** Scenarios that `scenario=`, `tag=` and `bug=` leave; asked once each, however many cells they are in. */
function chooseScenarios(config: Config, selector: Selector): Set<string> {
  const matches = (globs: readonly string[], names: readonly string[]): boolean =>
    globs.length === 0 || globs.some((glob) => names.some((name) => matchGlob(glob, name)));
  const chosen = config.scenarios.filter(
    ({ scenario }) =>
      matches(selector.scenarios, [scenario.name]) &&
      matches(selector.tags, scenario.tags) &&
      matches(selector.bugs, scenario.bug === undefined ? [] : [scenario.bug]),
  );
  return new Set(chosen.map(({ scenario }) => scenario.name));
}

/** Cells of a word `<variant>` or `<variant>/<scenario glob>` whose variant is in no set. */
function cellsOfVariantName(config: Config, word: string): Candidate[] {
  const slash = word.lastIndexOf('/');
  const parsed = parseVariantName(config.matrix, slash < 0 ? word : word.slice(0, slash));
  if ('problems' in parsed) return [];
  const glob = slash < 0 ? '*' : word.slice(slash + 1);
  const scenarios = config.scenarios.filter(({ scenario }) => matchGlob(glob, scenario.name));
  return cross([parsed.variant], scenarios);
}

function describeNoMatch(glob: string, base: readonly Candidate[]): string {
  const scenarios = [...new Set(base.map((cell) => cell.loaded.scenario.name))];
  const variants = [...new Set(base.map((cell) => cell.name))];
  const candidates = glob.includes('/') ? base.map((cell) => cell.address) : [...scenarios, ...variants];
  return `"${glob}" matches no cell${formatHint(glob, candidates)}`;
}

function matchingValues(matrix: Matrix, axis: Axis, glob: string): string[] {
  const named = matrix.axes[axis].values.filter((value) => matchGlob(glob, value));
  return named.length > 0 ? named : [glob];
}

function cross(variants: readonly Variant[], scenarios: readonly LoadedScenario[]): Candidate[] {
  return variants.flatMap((variant) => {
    const name = variantName(variant);
    return scenarios.map((loaded) => ({
      address: cellAddress(name, loaded.scenario.name),
      name,
      variant,
      loaded,
    }));
  });
}

function uniqueCells(cells: readonly Candidate[]): Candidate[] {
  return [...new Map(cells.map((cell) => [cell.address, cell])).values()];
}
