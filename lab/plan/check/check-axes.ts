import { AXIS_DEFINITIONS } from '../../model/axes/axes.ts';
import { isReadable } from '../../model/variants/axis-list.ts';
import { kernel } from '../../model/axes/kernel.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { nearestName } from '../../model/text/nearest.ts';
import { nameVariant } from '../../model/variants/variant-name.ts';
import { parseVariantName } from '../variants/parse-variant.ts';

/** Axes whose named values are described in a field of their own. */
const DESCRIBED = [
  ['os', 'suites'],
  ['knobs', 'knobs'],
] as const;

/**
 * Checks the values that the matrix names: its axis can read each, each has a name of its own, and each is described
 * where it must be.
 */
export function checkAxes(matrix: Matrix): ConfigProblem[] {
  return [...checkValues(matrix), ...checkDescriptions(matrix), ...checkKernels(matrix)];
}

function checkValues(matrix: Matrix): ConfigProblem[] {
  return AXIS_DEFINITIONS.flatMap((axis) => {
    const { name, defaultValue } = axis;
    const path = `axes.${name}.values`;
    const [first, ...others] = matrix.axes[name].values;
    const twice = others.flatMap((value, index) =>
      matrix.axes[name].values.indexOf(value) <= index
        ? [problem(`${path}.${index + 1}`, 'each value once', `${JSON.stringify(value)} twice`)]
        : [],
    );
    const unlike =
      first === defaultValue
        ? []
        : [problem(`${path}.0`, `the default "${defaultValue}"`, JSON.stringify(first))];
    const wrong = others.flatMap((value, index) => {
      const received = JSON.stringify(value);
      const at = `${path}.${index + 1}`;
      if (!isReadable(axis, value)) return [problem(at, `a value that the axis ${name} can read`, received)];
      const part = nameVariant(AXIS_DEFINITIONS, { [name]: value });
      const found = parseVariantName(matrix, part);
      const isOwn = 'variant' in found && found.variant[name] === value;
      return isOwn ? [] : [problem(at, 'a value whose name is not a value of another axis', received)];
    });
    return [...unlike, ...twice, ...wrong];
  });
}

function checkDescriptions(matrix: Matrix): ConfigProblem[] {
  return DESCRIBED.flatMap(([axis, field]) => {
    const { values } = matrix.axes[axis];
    const described = Object.keys(matrix[field]);
    const missing = values.filter((value) => !described.includes(value));
    const unknown = described.filter((name) => !values.includes(name));
    const meant = unknown.map((name) => nearestName(name, values));
    return [
      ...missing
        .filter((value) => !meant.includes(value))
        .map((value) => problem(`${field}.${value}`, `an entry for ${axis} ${value}`, 'nothing')),
      ...unknown.map((name) =>
        problem(
          `${field}.${name}`,
          `a named value of ${axis}`,
          JSON.stringify(name),
          nearestName(name, values),
        ),
      ),
    ];
  });
}

function checkKernels(matrix: Matrix): ConfigProblem[] {
  return matrix.axes.kernel.values.flatMap((written, index) => {
    if (!isReadable(kernel, written)) return [];
    const value = kernel.parse(written);
    const isKernelOfSuite =
      value.from === 'own' ||
      (value.from === 'suite' && matrix.suites[value.suite]?.kernel === value.version);
    if (isKernelOfSuite) return [];
    const expected = 'the kernel of a suite, <version>@<suite>';
    return [problem(`axes.kernel.values.${index}`, expected, JSON.stringify(written))];
  });
}

function problem(path: string, expected: string, received: string, nearest?: string): ConfigProblem {
  return configProblem('matrix.yaml', path, expected, received, nearest);
}
