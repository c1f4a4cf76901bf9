import { groupBy } from '../../model/text/group-by.ts';
import { AXES, DEFAULT_VARIANT, variantName, type Axis, type Variant } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import { cellAddress, splitBrackets, type BracketedWord } from '../../model/host/cell-address.ts';
import { DEFAULT_SET, type Matrix, type SetBlock } from '../../model/declared/matrix.ts';
import type { LoadedScenario, Scenario } from '../../model/declared/scenario.ts';
import { describedBy, parametersOfBug, variantOfBug } from '../bugs/bug-cells.ts';
import { collectDeclared } from '../check/check-condition.ts';
import { changedTexts } from '../parameters/fill-parameters.ts';
import { fillScenario } from '../parameters/fill-scenario.ts';
import type { Config } from '../config/parse-config.ts';
import type { Selector } from '../select/parse-selector.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { describeTooMany, narrowScenarios } from '../select/count-cells.ts';
import { compileGlob, isGlob, matchGlob } from '../../model/text/match-glob.ts';
import { parseRange } from '../../model/variants/version-range.ts';
import { findValue, hintOfExact, parseVariantName } from '../variants/parse-variant.ts';
import { describeUnknownWanted, hasWanted, varyScenarios } from '../select/vary-scenarios.ts';

/** A cell that a selector names, before rules. */
export interface Candidate {
  readonly address: string;
  /** Canonical name of the variant, which is the name of its world. */
  readonly name: string;
  readonly variant: Variant;
  readonly loaded: LoadedScenario;
}

/** Returns every combination of the given axis values; axes not named keep their default. */
function expandVariants(axes: Readonly<Partial<Record<Axis, readonly string[]>>>): Variant[] {
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
function expandSet(config: Config, name: string): Candidate[] {
  const { blocks = [], bugs = [] } = config.matrix.sets[name] ?? {};
  return uniqueCells([
    ...chooseBugs(config, bugs).flatMap(cellsOfBug(config)),
    ...blocks.flatMap((block) => {
      const scenarios = config.scenarios.filter(({ scenario }) => isInBlock(scenario, block));
      return cross(expandGlobs(config.matrix, block.variants), varyScenarios(scenarios, block.parameters));
    }),
  ]);
}

/** What has no tag has not said what it is: a block that chooses by tags leaves it out. */
function isInBlock({ name, tags }: Scenario, { scenarios, withTags, withoutTags }: SetBlock): boolean {
  const hasOneOf = (some: readonly string[]): boolean => tags.some((tag) => some.includes(tag));
  return (
    scenarios.some((glob) => matchGlob(glob, name)) &&
    (withTags.length === 0 || hasOneOf(withTags)) &&
    (withoutTags.length === 0 || (tags.length > 0 && !hasOneOf(withoutTags)))
  );
}

/**
 * The named sets that have each cell, by its address.
 *
 * @param cells which are asked for: cells of other scenarios are not looked at.
 */
export function listMembership(whole: Config, cells: readonly Candidate[]): Map<string, string[]> {
  const names = new Set(cells.map(({ loaded }) => loaded.scenario.name));
  const scenarios = whole.scenarios.filter(({ scenario }) => names.has(scenario.name));
  const config = { ...whole, scenarios };
  const membership = new Map<string, string[]>();
  for (const name of Object.keys(config.matrix.sets)) {
    for (const { address } of expandSet(config, name)) {
      const sets = membership.get(address);
      if (sets === undefined) membership.set(address, [name]);
      else sets.push(name);
    }
  }
  return membership;
}

/** The affected, the fixed and the control cells of a bug. */
function cellsOfBug({ scenarios }: Config): (bug: Bug) => Candidate[] {
  return (bug) =>
    scenarios
      .filter(({ scenario }) => scenario.name === bug.scenario)
      .flatMap((loaded) =>
        describedBy(bug).flatMap((described) =>
          cross([variantOfBug(described)], [fillScenario(loaded, parametersOfBug(described))]),
        ),
      );
}

/**
 * Returns the cells that a selector names, each once, and what is wrong with it.
 *
 * After `set=` words choose among the cells of that set, which axis words may move to another variant (`moveCells`), and
 * without any word the set is `quick`. Else words choose among all scenarios, on the variants that axis words describe;
 * `bug=` without those means the cells of the bug. A bare word that matches nothing there may still be a variant name or
 * an address of any known variant. The brackets of a bare word set parameters of the cells that it matches.
 */
export function selectCells(config: Config, selector: Selector): { cells: Candidate[]; problems: string[] } {
  const problems: string[] = [];
  const described = Object.keys(selector.axes).length + Object.keys(selector.parameters).length > 0;
  const hasSets = selector.sets.length > 0;
  const scenarios = chooseScenarios(config, selector);
  const narrowed = hasSets ? [] : narrowScenarios(config.scenarios, scenarios, selector.globs);
  const varied = varyScenarios(narrowed, selector.parameters);
  const base = hasSets
    ? listSets(config, selector)
    : (describeTooMany(selector.axes, { scenario: varied.length }) ??
      listBase(config, selector, described, varied));
  if (typeof base === 'string') return { cells: [], problems: [base] };
  const chosen = selector.globs.flatMap((word) => {
    const { head, inside } = splitBrackets(word);
    let found = matchCells(base, head);
    if (found.length === 0 && !described && !hasSets) found = cellsOfVariantName(config, head);
    if (found.length === 0) problems.push(describeNoMatch(config, head, base));
    if (inside === undefined || found.length === 0) return found;
    const narrowed = narrowCells(found, inside, hasSets);
    problems.push(...narrowed.problems);
    return narrowed.cells;
  });
  const cells = uniqueCells(selector.globs.length === 0 ? base : chosen).filter(({ loaded }) =>
    scenarios.has(loaded.scenario.name),
  );
  if (cells.length === 0 && problems.length === 0) problems.push('no cell matches all of these words');
  return { cells, problems };
}

/** The cells of the sets that axis words and parameters leave, or why they would be too many. */
function listSets(config: Config, { sets, axes, parameters }: Selector): Candidate[] | string {
  const names = Object.keys(config.matrix.sets).filter((name) => sets.some((glob) => matchGlob(glob, name)));
  const cells = uniqueCells(names.flatMap((name) => expandSet(config, name)));
  const moved = moveCells(cells, axes);
  if (typeof moved === 'string') return moved;
  return moved.filter(({ loaded }) => hasWanted(loaded, parameters));
}

/**
 * The cells on the variants that axis words describe, or why they would be too many. On an axis that these cells vary the
 * words choose among them. On any other they are moved: `set=deaths kubernetes=1.37` are these deaths on that release.
 */
function moveCells(cells: readonly Candidate[], axes: Selector['axes']): Candidate[] | string {
  const isVaried = (axis: Axis): boolean =>
    cells.some(({ variant }) => variant[axis] !== DEFAULT_VARIANT[axis]);
  const named = AXES.filter((axis) => axes[axis] !== undefined);
  const [varied, free] = [named.filter(isVaried), named.filter((axis) => !isVaried(axis))];
  const chosen = cells.filter(({ variant }) => varied.every((axis) => axes[axis]?.includes(variant[axis])));
  if (free.length === 0) return chosen;
  const others = Object.fromEntries(free.map((axis) => [axis, axes[axis]]));
  const tooMany = describeTooMany(others, { cell: chosen.length });
  if (tooMany !== undefined) return tooMany;
  const moves = expandVariants(others);
  return uniqueCells(
    chosen.flatMap(({ variant, loaded }) =>
      cross(
        moves.map((move) => ({ ...variant, ...Object.fromEntries(free.map((axis) => [axis, move[axis]])) })),
        [loaded],
      ),
    ),
  );
}

/**
 * The cells that bare words match against without `set=`, and that stay when there are none.
 *
 * @param varied the scenarios that words leave, with the parameters that they ask for.
 */
function listBase(
  config: Config,
  selector: Selector,
  described: boolean,
  varied: readonly LoadedScenario[],
): Candidate[] {
  const { axes, globs, scenarios, tags, bugs } = selector;
  const hasWords = described || globs.length + scenarios.length + tags.length + bugs.length > 0;
  if (!hasWords) return expandSet(config, DEFAULT_SET);
  if (described || bugs.length === 0) return cross(expandVariants(axes), varied);
  return uniqueCells(
    chooseBugs(config, bugs).flatMap((bug) => [...cellsOfBug(config)(bug), ...tableOfBug(config, bug)]),
  );
}

function chooseBugs(config: Config, globs: readonly string[]): Bug[] {
  return config.bugs.filter(({ id }) => globs.some((glob) => matchGlob(glob, id)));
}

/** The further cells of a bug; `bug=` makes a table of them. */
function tableOfBug({ matrix, scenarios }: Config, bug: Bug): Candidate[] {
  const named = scenarios.filter(({ scenario }) => scenario.name === bug.scenario);
  return bug.table.flatMap((globs) => cross(expandGlobs(matrix, globs), named));
}

/** The cells whose scenario, variant or both a glob matches, whatever their parameters. */
function matchCells(base: readonly Candidate[], glob: string): Candidate[] {
  const matches = compileGlob(glob === '' ? '*' : glob);
  return base.filter(({ name, loaded }) => {
    const scenario = loaded.scenario.name;
    return matches(cellAddress(name, scenario)) || matches(scenario) || matches(name);
  });
}

/**
 * The cells with the parameters that a word has in brackets.
 *
 * @param fromSet whether they have to be among these cells already.
 */
function narrowCells(
  cells: readonly Candidate[],
  inside: NonNullable<BracketedWord['inside']>,
  fromSet: boolean,
): { cells: Candidate[]; problems: string[] } {
  const problems: string[] = [];
  const given: { name: string; value: string }[] = [];
  for (const { name, value } of inside) {
    if (value === undefined) problems.push(`"${name}" in brackets is not <parameter>=<value>`);
    else given.push({ name, value });
  }
  // A name may be that of a property which every object has: `constructor`.
  const wanted = Object.fromEntries(
    [...groupBy(given, ({ name }) => name)].map(([name, all]) => [name, all.map(({ value }) => value)]),
  );
  const declared = collectDeclared(cells.map(({ loaded }) => loaded));
  problems.push(...describeUnknownWanted(declared, wanted));
  const narrowed = fromSet
    ? cells.filter(({ loaded }) => hasWanted(loaded, wanted))
    : cells.flatMap(({ variant, loaded }) => cross([variant], varyScenarios([loaded], wanted)));
  if (narrowed.length > 0 || problems.length > 0) return { cells: narrowed, problems };
  return { cells: [], problems: ['no cell has all of these parameters'] };
}

/** Scenarios that `scenario=`, `tag=` and `bug=` leave; asked once each, however many cells they are in. */
function chooseScenarios(config: Config, selector: Selector): Set<string> {
  const matches = (globs: readonly string[], names: readonly string[]): boolean =>
    globs.length === 0 || globs.some((glob) => names.some((name) => matchGlob(glob, name)));
  const ofBugs = chooseBugs(config, selector.bugs).map(({ scenario }) => scenario);
  const chosen = config.scenarios.filter(
    ({ scenario }) =>
      matches(selector.scenarios, [scenario.name]) &&
      matches(selector.tags, scenario.tags) &&
      (selector.bugs.length === 0 || ofBugs.includes(scenario.name)),
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

function describeNoMatch(config: Config, glob: string, base: readonly Candidate[]): string {
  const key = findKeyOf(config, glob);
  if (key !== undefined) return `"${glob}" matches no cell (did you mean "${key}=${glob}"?)`;
  const slash = glob.lastIndexOf('/');
  if (slash >= 0 && !isGlob(glob)) {
    const variant = parseVariantName(config.matrix, glob.slice(0, slash));
    if ('problems' in variant) return `"${glob}" matches no cell: ${variant.problems.join('; ')}`;
  }
  const scenarios = [...new Set(base.map((cell) => cell.loaded.scenario.name))];
  const variants = [...new Set(base.map((cell) => cell.name))];
  const candidates = slash >= 0 ? base.map((cell) => cell.address) : [...scenarios, ...variants];
  return `"${glob}" matches no cell${hintOfExact(config.matrix, glob) ?? formatHint(glob, candidates)}`;
}

/** The key that has a bare word as its value: people write `deaths` for `set=deaths`. */
function findKeyOf({ matrix, scenarios, bugs }: Config, word: string): string | undefined {
  if (Object.hasOwn(matrix.sets, word)) return 'set';
  if (scenarios.some(({ scenario }) => scenario.tags.includes(word))) return 'tag';
  return bugs.some(({ id }) => id === word) ? 'bug' : undefined;
}

/** Every combination of the named values that globs match; a word that matches none is a value of its own. */
function expandGlobs(matrix: Matrix, globs: Readonly<Partial<Record<Axis, readonly string[]>>>): Variant[] {
  const axes = Object.entries(globs).map(([axis, values]) => [
    axis,
    values.flatMap((glob) => matchingValues(matrix, axis as Axis, glob)),
  ]);
  return expandVariants(Object.fromEntries(axes) as Partial<Record<Axis, string[]>>);
}

function matchingValues(matrix: Matrix, axis: Axis, glob: string): string[] {
  const named = matrix.axes[axis].values.filter((value) => matchGlob(glob, value));
  if (named.length > 0) return named;
  const range = parseRange(glob);
  const texts = range !== undefined && 'versions' in range ? range.versions : [glob];
  return texts.map((text) => findValue(matrix, axis, text)?.value ?? text);
}

function cross(variants: readonly Variant[], scenarios: readonly LoadedScenario[]): Candidate[] {
  const named = scenarios.map((loaded) => ({
    loaded,
    changed: changedTexts(loaded.scenario.parameters, loaded.parameters),
  }));
  return variants.flatMap((variant) => {
    const name = variantName(variant);
    return named.map(({ loaded, changed }) => {
      const address = cellAddress(name, loaded.scenario.name, changed);
      return { address, name, variant, loaded };
    });
  });
}

function uniqueCells(cells: readonly Candidate[]): Candidate[] {
  return [...new Map(cells.map((cell) => [cell.address, cell])).values()];
}
