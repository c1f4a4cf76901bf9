import { AXIS_DEFINITIONS, type Axis, type Variant } from '../../model/axes/axes.ts';
import { resolveVersion, type Components } from '../../model/components/components.ts';
import { configProblem, UsageError, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { COMPONENTS_FILE } from '../../model/files/declarations.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { matchesPattern } from '../../model/text/pattern.ts';
import { isReadable, listComponentsOf } from '../../model/variants/axis-list.ts';

/** A value of an axis whose programs the catalogue does not have. */
interface Unmade {
  readonly axis: Axis;
  readonly value: string;
  /** What the catalogue has instead. */
  readonly expected: string;
}

/** What is declared of versions. */
interface Declared {
  readonly matrix: Matrix;
  readonly catalogue: Components;
}

/** Checks that the catalogue has the programs of every value that the matrix names, and that examples are such. */
export function checkAxisVersions(matrix: Matrix, catalogue: Components | undefined): ConfigProblem[] {
  return AXIS_DEFINITIONS.flatMap((axis) => {
    const { values, patterns, example } = matrix.axes[axis.name];
    const path = `axes.${axis.name}`;
    const unmade = values.flatMap((value, index) =>
      describeUnmade(catalogue, axis, value).map(({ expected }) =>
        configProblem('matrix.yaml', `${path}.values.${index}`, expected, JSON.stringify(value)),
      ),
    );
    if (example === undefined) return unmade;
    const isAccepted = patterns.some((pattern) => matchesPattern(pattern, example));
    const expected = isAccepted
      ? describeUnmade(catalogue, axis, example)[0]?.expected
      : 'a value that one of the patterns accepts';
    if (expected === undefined) return unmade;
    return [...unmade, configProblem('matrix.yaml', `${path}.example`, expected, JSON.stringify(example))];
  });
}

/** Checks that the catalogue has a component for each program that a named value of an axis puts on a node. */
export function checkComponentsOfAxes(matrix: Matrix, catalogue: Components | undefined): ConfigProblem[] {
  if (catalogue === undefined) return [];
  const needed = new Map<string, string>();
  for (const axis of AXIS_DEFINITIONS)
    for (const value of matrix.axes[axis.name].values) {
      if (!isReadable(axis, value)) continue;
      for (const name of Object.keys(listComponentsOf([axis], { [axis.name]: axis.parse(value) })))
        if (!Object.hasOwn(catalogue.components, name)) needed.set(name, `${axis.name}=${value}`);
    }
  return [...needed].map(([name, value]) =>
    configProblem(COMPONENTS_FILE, 'components', `a component ${name}, which ${value} needs`, 'none'),
  );
}

/**
 * Makes sure that the catalogue has the programs of variants: a pattern of the matrix accepts whatever looks like a
 * version.
 *
 * @throws UsageError naming every value that no source has.
 */
export function refuseUnmade({ matrix, catalogue }: Declared, variants: Iterable<Variant>): void {
  const known = new Set<string>();
  const found: Unmade[] = [];
  for (const variant of variants)
    for (const axis of AXIS_DEFINITIONS) {
      const value = variant[axis.name];
      const key = `${axis.name}=${value}`;
      if (!known.has(key)) found.push(...describeUnmade(catalogue, axis, value));
      known.add(key);
    }
  if (found.length === 0) return;
  const lines = found.map(({ axis, value, expected }) => {
    const nearest = nearestName(value, matrix.axes[axis].values);
    const meant = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
    return `${axis}=${value}: expected ${expected}${meant}`;
  });
  throw new UsageError(
    lines.length === 1 ? lines.join() : ['versions that nobody has', ...lines].join('\n  '),
    {
      tryNext: "npx whodunit list '*' for all cells, or add the version to components.yaml",
    },
  );
}

function describeUnmade(
  catalogue: Components | undefined,
  axis: (typeof AXIS_DEFINITIONS)[number],
  value: string,
): Unmade[] {
  // What the axis cannot read is reported elsewhere.
  if (catalogue === undefined || !isReadable(axis, value)) return [];
  const components = listComponentsOf([axis], { [axis.name]: axis.parse(value) });
  return Object.entries(components).flatMap(([name, version]) => {
    // A program that the catalogue does not have at all has no versions to compare with: checkComponentsOfAxes says so.
    if (!Object.hasOwn(catalogue.components, name)) return [];
    try {
      resolveVersion(catalogue, name, version);
      return [];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [
        { axis: axis.name, value, expected: `a version of ${name}; ${error.lastSeen ?? error.message}` },
      ];
    }
  });
}
