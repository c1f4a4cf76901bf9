import { AXES, type Axis } from '../../model/axes/axes.ts';
import { CONDITION_KEYS, type Condition } from '../../model/declared/condition.ts';
import type { ConfigProblem } from '../../model/errors/errors.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { nearestName } from '../../model/text/nearest.ts';
import type { Parameter } from '../../model/declared/parameters.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { isGlob, matchGlob } from '../../model/text/match-glob.ts';
import { expandText } from '../parameters/fill-parameters.ts';
import { findValue } from '../variants/parse-variant.ts';
import { describeWrongRange, parseRange } from '../../model/variants/version-range.ts';

/** What a condition may speak of in addition to axes and facts: name → what scenarios declare under it. */
export type DeclaredParameters = Readonly<Record<string, readonly Parameter[]>>;

/** Collects what scenarios declare. */
export function collectDeclared(scenarios: readonly LoadedScenario[]): DeclaredParameters {
  const declared: Record<string, Parameter[]> = {};
  for (const { scenario } of scenarios)
    for (const [name, parameter] of Object.entries(scenario.parameters))
      (declared[name] ??= []).push(parameter);
  return declared;
}

/**
 * Checks a condition: names that mean nothing, plain values that no axis or parameter knows, and comparators that could
 * never hold.
 */
export function checkCondition(
  matrix: Matrix,
  file: string,
  path: string,
  condition: Condition,
  declared: DeclaredParameters = {},
): ConfigProblem[] {
  const known = [...CONDITION_KEYS, ...Object.keys(declared)];
  return Object.entries(condition).flatMap(([key, texts]) => {
    const at = { file, path: `${path}.${key}` };
    if (!known.includes(key))
      return [{ ...at, received: `"${key}"`, ...withNearest(`one of ${known.join(', ')}`, key, known) }];
    return texts.flatMap((text, index) => {
      const found = describeText(matrix, declared, key, text);
      const path = `${at.path}.${index}`;
      return found === undefined ? [] : [{ ...at, path, received: JSON.stringify(text), ...found }];
    });
  });
}

/** Checks values of parameters: names that no scenario declares, and values and globs that fit none. */
export function checkParameterTexts(
  file: string,
  path: string,
  wanted: Readonly<Record<string, readonly string[]>>,
  declared: DeclaredParameters,
): ConfigProblem[] {
  return Object.entries(wanted).flatMap(([name, texts]) => {
    const at = { file, path: `${path}.${name}` };
    const parameters = declared[name];
    if (parameters === undefined) {
      const finding = withNearest('a parameter of some scenario', name, Object.keys(declared));
      return [{ ...at, received: `"${name}"`, ...finding }];
    }
    return texts.flatMap((text, index) => {
      const found = describeValue(parameters, name, text);
      const path = `${at.path}.${index}`;
      return found === undefined ? [] : [{ ...at, path, received: JSON.stringify(text), ...found }];
    });
  });
}

type Finding = Pick<ConfigProblem, 'expected' | 'nearest'>;

function describeText(
  matrix: Matrix,
  declared: DeclaredParameters,
  key: string,
  text: string,
): Finding | undefined {
  const reference = /\{(\w+)\}/.exec(text)?.[1];
  if (reference !== undefined) {
    const known = [...CONDITION_KEYS, ...Object.keys(declared)];
    if (known.includes(reference)) return undefined;
    return withNearest('the name of an axis or fact in {}', reference, known);
  }
  const range = parseRange(text);
  if (range !== undefined) {
    const expected = describeWrongRange(range);
    return expected === undefined ? undefined : { expected };
  }
  const parameters = declared[key];
  if (parameters !== undefined) return describeValue(parameters, key, text);
  const meant = /^\s*(?:(=[<>])|[=!]).*?(\d[\d.]*)?\s*$/.exec(text);
  if (meant !== null) {
    const [, swapped, operand] = meant;
    const operator = swapped === undefined ? undefined : [...swapped].reverse().join('');
    const expected = 'a glob, or comparators with <, <=, > or >=';
    return operator === undefined || operand === undefined
      ? { expected }
      : { expected, nearest: `${operator}${operand}` };
  }
  if (key.endsWith('MiB') && !isGlob(text) && !/^\d+$/.test(text))
    return { expected: 'a number of MiB, or comparators such as ">=4096"' };
  if (key.endsWith('Version') && !isGlob(text) && !/^[A-Za-z]*$|^\d+(\.\d+)*$/.test(text))
    return { expected: 'a version, a glob, or comparators such as ">=1.6 <1.6.3"' };
  const isAxis = (AXES as readonly string[]).includes(key);
  if (isAxis && isGlob(text) && isForNone(matrix, key as Axis, text))
    return { expected: `a glob that a value of ${key} matches` };
  if (!isAxis || isGlob(text)) return undefined;
  const found = findValue(matrix, key as Axis, text);
  // What somebody has added to a release decides nothing that a condition could ask for.
  if (found?.dropped !== undefined) return { expected: `a release of ${key}`, nearest: found.value };
  return found === undefined
    ? withNearest(`a value of ${key}`, text, matrix.axes[key as Axis].values)
    : undefined;
}

/** Whether no value can match a glob. What the patterns of an axis accept has no end. */
function isForNone({ axes }: Matrix, axis: Axis, glob: string): boolean {
  const { values, patterns } = axes[axis];
  return patterns.length === 0 && !values.some((value) => matchGlob(glob, value));
}

/** @returns undefined for a value or a glob that some of the parameters know. */
function describeValue(parameters: readonly Parameter[], name: string, text: string): Finding | undefined {
  if (parameters.some((parameter) => expandText(parameter, text).length > 0)) return undefined;
  const values = parameters.flatMap((parameter) => parameter.values.map(String));
  return withNearest(`a value of ${name}`, text, values);
}

function withNearest(expected: string, word: string, candidates: readonly string[]): Finding {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? { expected } : { expected, nearest };
}
