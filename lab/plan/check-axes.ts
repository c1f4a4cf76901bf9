import { AXIS_DEFINITIONS } from '../model/axes.ts';
import { isReadable } from '../model/axis-list.ts';
import { kernel } from '../model/axes/kernel.ts';
import { configProblem, type ConfigProblem } from '../model/errors.ts';
import type { Matrix } from '../model/matrix.ts';
import { nearestName } from '../model/nearest.ts';
import { nameVariant } from '../model/variant-name.ts';
import { parseVariantName } from './parse-variant.ts';

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
    const unlike =
      first === defaultValue
        ? []
        : [problem(`${path}.0`, `the default "${defaultValue}"`, JSON.stringify(first))];
    const wrong = others.flatMap((value) => {
      const received = JSON.stringify(value);
      if (!isReadable(axis, value)) return [problem(path, `values that the axis ${name} can read`, received)];
      const part = nameVariant(AXIS_DEFINITIONS, { [name]: value });
      const found = parseVariantName(matrix, part);
      const isOwn = 'variant' in found && found.variant[name] === value;
      return isOwn ? [] : [problem(path, 'values whose names are no values of another axis', received)];
    });
    return [...unlike, ...wrong];
  });
}

function checkDescriptions(matrix: Matrix): ConfigProblem[] {
  return DESCRIBED.flatMap(([axis, field]) => {
    const { values } = matrix.axes[axis];
    const described = Object.keys(matrix[field]);
    const missing = values.filter((value) => !described.includes(value));
    const unknown = described.filter((name) => !values.includes(name));
    return [
      ...missing.map((value) =>
        problem(
          `${field}.${value}`,
          `an entry for ${axis} ${value}`,
          'nothing',
          nearestName(value, described),
        ),
      ),
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
  return matrix.axes.kernel.values
    .filter((value) => isReadable(kernel, value))
    .flatMap((written) => {
      const value = kernel.parse(written);
      const isKernelOfSuite =
        value.from === 'own' ||
        (value.from === 'suite' && matrix.suites[value.suite]?.kernel === value.version);
      if (isKernelOfSuite) return [];
      const expected = 'the kernel of a suite, <version>@<suite>';
      return [problem('axes.kernel.values', expected, JSON.stringify(written))];
    });
}

function problem(path: string, expected: string, received: string, nearest?: string): ConfigProblem {
  return configProblem('matrix.yaml', path, expected, received, nearest);
}
