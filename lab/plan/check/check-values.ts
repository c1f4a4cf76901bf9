import { AXES, type Axis } from '../../model/axes/axes.ts';
import { configProblem, type ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { Parameters, ParameterTexts } from '../../model/declared/parameters.ts';
import { isKnownText } from '../parameters/fill-parameters.ts';
import { isKnownValue } from '../variants/parse-variant.ts';

/** Where in a file the values are. */
interface Place {
  readonly file: string;
  readonly path: string;
}

/** Checks that the matrix knows the axis values that a file names. */
export function checkAxisValues(
  { file, path }: Place,
  values: Readonly<Partial<Record<Axis, string>>>,
  matrix: Matrix,
): ConfigProblem[] {
  return AXES.flatMap((axis) => {
    const value = values[axis];
    if (value === undefined || isKnownValue(matrix, axis, value)) return [];
    const nearest = nearestName(value, matrix.axes[axis].values);
    return [configProblem(file, `${path}.${axis}`, `a value of ${axis}`, `"${value}"`, nearest)];
  });
}

/**
 * Checks that a scenario has the parameters that a file names, and knows their values.
 *
 * @param others what else may be named in the same place.
 */
export function checkParameterValues(
  { file, path }: Place,
  texts: ParameterTexts,
  parameters: Parameters,
  others: readonly string[] = [],
): ConfigProblem[] {
  const known = [...others, ...Object.keys(parameters)];
  return Object.entries(texts).flatMap(([name, value]) => {
    const at = `${path}.${name}`;
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) {
      const expected =
        known.length === 0 ? 'no parameter: the scenario has none' : `one of ${known.join(', ')}`;
      return [configProblem(file, at, expected, `"${name}"`, nearestName(name, known))];
    }
    if (isKnownText(parameter, value)) return [];
    const nearest = nearestName(value, parameter.values.map(String));
    return [configProblem(file, at, `a value of ${name}`, `"${value}"`, nearest)];
  });
}
