import { AXES } from '../../model/axes/axes.ts';
import type { Bug, BugVariant } from '../../model/declared/bug.ts';
import type { Components } from '../../model/components/components.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix, StartFailure } from '../../model/declared/matrix.ts';
import type { MeasureBound } from '../../model/measures/measure.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { LoadedScenario, Outcome } from '../../model/declared/scenario.ts';
import {
  addressesOfBug,
  outcomeOfBug,
  parametersOfBug,
  selectorsOfBug,
  startFailureOfBug,
} from '../bugs/bug-cells.ts';
import { findMeasureRow, listMeasures } from '../../model/measures/declared-measure.ts';
import { describeUnknown } from './check-measures.ts';
import { checkCondition } from './check-condition.ts';
import { checkFirstVersions } from './check-first-versions.ts';
import { checkRanges } from './check-ranges.ts';
import { checkAxisValues, checkParameterValues } from './check-values.ts';
import { parseReportLink } from '../bugs/find-bug.ts';

/** What the bugs refer to; undefined or empty where that file has problems of its own. */
export interface BugContext {
  readonly matrix: Matrix | undefined;
  readonly catalogue: Components | undefined;
  readonly scenarios: readonly LoadedScenario[];
  /** Folders, not parsed names: a scenario with a mistake of its own is still known to a bug. */
  readonly scenarioNames: readonly string[];
}

/** The id that a file of `bugs/` must have. */
export function nameOfBugFile(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
}

/**
 * Checks what a schema cannot say about the bugs: their names, the values of their variants, that a link belongs to
 * one bug only, and that the affected variant must end otherwise than the fixed one: by the scenario, or because it is
 * declared to start no pods.
 */
export function checkBugs(bugs: ReadonlyMap<string, Bug>, context: BugContext): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const owners = new Map<string, string>();
  // A result names one bug of its cell.
  const affected = new Map<string, string>();
  for (const [file, bug] of bugs) {
    const name = nameOfBugFile(file);
    if (bug.id !== name) problems.push(configProblem(file, 'id', `"${name}", its file`, `"${bug.id}"`));
    bug.links.forEach((link, index) => {
      const key = parseReportLink(link) ?? link;
      const owner = owners.get(key);
      if (owner !== undefined) {
        problems.push(configProblem(file, `links.${index}`, 'a link of one bug only', `one of ${owner} too`));
      }
      owners.set(key, file);
    });
    const [address = ''] = addressesOfBug(bug, context.scenarios);
    const rival = affected.get(address);
    if (rival !== undefined)
      problems.push(
        configProblem(file, 'affected', 'a cell of one bug only', `${address}, which is that of ${rival}`),
      );
    affected.set(address, file);
    const ofVariants = checkVariants(file, bug, context);
    problems.push(
      ...ofVariants,
      ...(context.matrix === undefined || ofVariants.length > 0
        ? []
        : checkStarts(file, bug, context.matrix)),
      ...checkScenarioOf(file, bug, context, ofVariants.length === 0),
      ...checkRanges(file, bug, { ...context, areKnown: ofVariants.length === 0 }),
      ...(ofVariants.length > 0 ? [] : checkFirst(file, bug, context)),
    );
  }
  return problems;
}

/** Without the matrix or the scenario nobody knows which values there are. */
function checkFirst(file: string, bug: Bug, { matrix, scenarios }: BugContext): ConfigProblem[] {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  return matrix === undefined || loaded === undefined
    ? []
    : checkFirstVersions(file, bug, { matrix, loaded });
}

function checkVariants(file: string, bug: Bug, { matrix, scenarios }: BugContext): ConfigProblem[] {
  const described: [string, BugVariant][] = [
    ['affected', bug.affected],
    ['fixed', bug.fixed],
    ...bug.controls.map((control, index): [string, BugVariant] => [
      `controls.${index}.variant`,
      control.variant,
    ]),
  ];
  const problems: ConfigProblem[] = [];
  const seen = new Map<string, string>();
  const selectors = selectorsOfBug(bug, scenarios);
  for (const [index, [path, variant]] of described.entries()) {
    const name = selectors[index] ?? '';
    const other = seen.get(name);
    if (other !== undefined) problems.push(configProblem(file, path, `another variant than ${other}`, name));
    seen.set(name, path);
    problems.push(
      ...(matrix === undefined ? [] : checkAxisValues({ file, path }, variant, matrix)),
      ...checkParametersOf(file, path, variant, bug, scenarios),
    );
  }
  if (matrix === undefined) return problems;
  const ofTable = bug.table.map((globs, index) => checkCondition(matrix, file, `table.${index}`, globs));
  return [...problems, ...ofTable.flat()];
}

/**
 * A name that is not an axis must be a parameter of the scenario. The parameters of a scenario with mistakes are not
 * known.
 */
function checkParametersOf(
  file: string,
  path: string,
  variant: BugVariant,
  bug: Bug,
  scenarios: readonly LoadedScenario[],
): ConfigProblem[] {
  const loaded = scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  if (loaded === undefined) return [];
  return checkParameterValues({ file, path }, parametersOfBug(variant), loaded.scenario.parameters, AXES);
}

/** The fixed side and the controls have to run: what they show of a bug is how their pods end. */
function checkStarts(file: string, bug: Bug, matrix: Matrix): ConfigProblem[] {
  const others: [string, BugVariant][] = [
    ['fixed', bug.fixed],
    ...bug.controls.map(({ variant }, index): [string, BugVariant] => [`controls.${index}.variant`, variant]),
  ];
  return others.flatMap(([path, variant]) => {
    const failure = startFailureOfBug(variant, matrix);
    if (failure === undefined) return [];
    return [configProblem(file, path, 'a variant whose pods start', `one of ${failure.id}`)];
  });
}

/**
 * Refuses what asks for measurements: in a variant without pods nothing is measured, and its cell has no verdict that a
 * date could change.
 */
function checkNothingMeasured(file: string, bug: Bug, { id }: StartFailure): ConfigProblem[] {
  const received = `an affected variant that starts no pod (${id})`;
  return [
    ...(bug.compare.length === 0
      ? []
      : [configProblem(file, 'compare', 'two variants that can be measured', received)]),
    ...(bug.reviewBy === undefined
      ? []
      : [configProblem(file, 'reviewBy', 'an affected cell that can fail', received)]),
  ];
}

/** @param isKnown whether every value of its variants is known: nothing follows from unknown ones. */
function checkScenarioOf(file: string, bug: Bug, context: BugContext, isKnown: boolean): ConfigProblem[] {
  if (!context.scenarioNames.includes(bug.scenario)) {
    const nearest = nearestName(bug.scenario, context.scenarioNames);
    return [configProblem(file, 'scenario', 'a known scenario', `"${bug.scenario}"`, nearest)];
  }
  const loaded = context.scenarios.find(({ scenario }) => scenario.name === bug.scenario);
  const { matrix } = context;
  if (loaded === undefined || matrix === undefined || !isKnown) return [];
  const failure = startFailureOfBug(bug.affected, matrix);
  if (failure !== undefined) return checkNothingMeasured(file, bug, failure);
  const { scenarios } = context;
  const [affected, fixed] = [bug.affected, bug.fixed].map((described) =>
    outcomeOfBug(bug, described, { matrix, scenarios }),
  );
  const compared = checkComparisons(file, bug, loaded, [affected, fixed]);
  if (JSON.stringify(affected) !== JSON.stringify(fixed) || bug.compare.length > 0) return compared;
  const expected = 'a scenario that expects something else of the affected variant than of the fixed one';
  return [
    configProblem(file, 'scenario', expected, `${bug.scenario}, which expects ${fixed?.killer} of both`),
  ];
}

/** What a bug compares has to be held against a bound in both cells: then nothing of it is missing. */
function checkComparisons(
  file: string,
  bug: Bug,
  { scenario: { measures } }: LoadedScenario,
  sides: readonly (Outcome | undefined)[],
): ConfigProblem[] {
  const name = ({ measure, statistic }: Pick<MeasureBound, 'measure' | 'statistic'>): string =>
    `${statistic} of ${measure}`;
  const [first = [], ...others] = sides.map((side) => (side?.measures ?? []).map(name));
  const both = first.filter((compared) => others.every((names) => names.includes(compared)));
  return bug.compare.flatMap((comparison, index) => {
    const at = { file, path: `compare.${index}.measure` };
    if (findMeasureRow(comparison.measure, measures) === undefined)
      return [describeUnknown(at, comparison.measure, listMeasures(measures))];
    const wanted = name(comparison);
    if (both.includes(wanted)) return [];
    const expected = `a measure that ${bug.scenario} expects of both (${both.join(', ') || 'there is none'})`;
    return [configProblem(at.file, at.path, expected, `"${wanted}"`, nearestName(wanted, both))];
  });
}
