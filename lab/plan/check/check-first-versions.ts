import { AXES } from '../../model/axes/axes.ts';
import type { Bug } from '../../model/declared/bug.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import {
  areComparable,
  compareValues,
  lineOf,
  numbersOf,
  programOf,
} from '../../model/components/value-order.ts';
import { listDifferencesOfSides, valuesOfSide } from '../bugs/bug-cells.ts';
import { isAxis } from '../variants/parse-variant.ts';
import { checkAxisValues, checkParameterValues } from './check-values.ts';

/** What the first versions of a bug refer to; every value of its sides is known. */
interface FirstContext {
  readonly matrix: Matrix;
  readonly loaded: LoadedScenario;
}

/** The fields that `whodunit bisect --write` writes. */
const FIELDS = ['firstBad', 'firstGood'] as const;

/**
 * Checks the first versions with a bug and without it: values that nobody knows, of another program, without an order, two of
 * one release line, and those that contradict the sides of the bug.
 */
export function checkFirstVersions(file: string, bug: Bug, context: FirstContext): ConfigProblem[] {
  const given = FIELDS.filter((field) => bug[field] !== undefined);
  const [first] = given;
  if (first === undefined) return [];
  const different = listDifferencesOfSides(bug, context.loaded);
  const [axis, ...others] = different;
  if (axis === undefined || others.length > 0)
    return [
      configProblem(
        file,
        first,
        'a bug whose sides differ in one axis or parameter: that is what its versions are of',
        `sides that differ in ${different.join(' and ') || 'nothing'}`,
      ),
    ];
  const [affected = '', fixed = ''] = [bug.affected, bug.fixed].map(
    (side) => valuesOfSide(side, context.loaded)[axis],
  );
  const sides = { axis, affected, fixed };
  const problems = given.flatMap((field) => checkValues(file, field, bug[field] ?? [], sides, context));
  return problems.length > 0 ? problems : checkSides(file, bug, sides);
}

/** What a bug compares, and the versions of its two sides. */
interface Sides {
  readonly axis: string;
  readonly affected: string;
  readonly fixed: string;
}

function checkValues(
  file: string,
  field: (typeof FIELDS)[number],
  values: readonly string[],
  { axis, affected, fixed }: Sides,
  { matrix, loaded }: FirstContext,
): ConfigProblem[] {
  const programs = [affected, fixed].filter((side) => numbersOf(side) !== undefined).map(programOf);
  const lines = new Map<string, string>();
  return values.flatMap((value, index) => {
    const path = `${field}.${index}`;
    const unknown = isAxis(axis)
      ? checkAxisValues({ file, path }, { [axis]: value }, matrix)
      : checkParameterValues({ file, path }, { [axis]: value }, loaded.scenario.parameters, AXES);
    if (unknown.length > 0) return unknown.map((problem) => ({ ...problem, path }));
    if (numbersOf(value) === undefined || !programs.includes(programOf(value)))
      return [
        configProblem(file, path, `a version of ${axis} beside ${affected} and ${fixed}`, `"${value}"`),
      ];
    const line = lineOf(value);
    const other = lines.get(line);
    lines.set(line, value);
    return other === undefined
      ? []
      : [configProblem(file, path, `one version of each release line, which ${other} is too`, `"${value}"`)];
  });
}

/**
 * The affected side has the bug, so it is from the first bad version on, and before the first good one; the fixed side has not.
 * A side bounds only versions of its own program and setting: `runsc@20230927+systemd-cgroup` says nothing of `runsc@20260905`.
 */
function checkSides(
  file: string,
  { firstBad = [], firstGood = [] }: Bug,
  { axis, affected, fixed }: Sides,
): ConfigProblem[] {
  const isOld = areComparable(affected, fixed) && compareValues(fixed, affected) < 0;
  const refuse = (field: string, firsts: readonly string[], expected: string): ConfigProblem[] => [
    configProblem(file, field, expected, `"${firsts.join('", "')}"`),
  ];
  const problems: ConfigProblem[] = [];
  if (isFrom(affected, firstBad) === false)
    problems.push(
      ...refuse('firstBad', firstBad, `nothing newer than ${axis}=${affected}, which has the bug`),
    );
  if (!isOld && isFrom(affected, firstGood) === true)
    problems.push(
      ...refuse('firstGood', firstGood, `something newer than ${axis}=${affected}, which has the bug`),
    );
  if (isOld && isFrom(fixed, firstBad) === true)
    problems.push(
      ...refuse('firstBad', firstBad, `something newer than ${axis}=${fixed}, which has not the bug`),
    );
  if (!isOld && isFrom(fixed, firstGood) === false)
    problems.push(
      ...refuse('firstGood', firstGood, `nothing newer than ${axis}=${fixed}, which has not the bug`),
    );
  return problems;
}

/** Whether a value is from one of the first versions on; undefined where none of them is of its program and setting. */
function isFrom(value: string, firsts: readonly string[]): boolean | undefined {
  const comparable = firsts.filter((first) => areComparable(first, value));
  if (comparable.length === 0) return undefined;
  const ofLine = comparable.filter((first) => lineOf(first) === lineOf(value));
  return (ofLine.length > 0 ? ofLine : comparable).some((first) => compareValues(value, first) >= 0);
}
