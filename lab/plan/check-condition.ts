import { AXES, type Axis } from '../model/axes.ts';
import { CONDITION_KEYS, type Condition } from '../model/condition.ts';
import type { ConfigProblem } from '../model/errors.ts';
import type { Matrix } from '../model/matrix.ts';
import { nearestName } from '../model/nearest.ts';
import { splitComparators } from './match-condition.ts';
import { isKnownValue } from './parse-variant.ts';

/** Checks the texts of a condition: plain values that no axis knows, and comparators that could never hold. */
export function checkCondition(
  matrix: Matrix,
  file: string,
  path: string,
  condition: Condition,
): ConfigProblem[] {
  return Object.entries(condition).flatMap(([key, texts]) =>
    texts.flatMap((text) => {
      const found = describeText(matrix, key, text);
      return found === undefined ? [] : [{ file, path: `${path}.${key}`, received: `"${text}"`, ...found }];
    }),
  );
}

type Finding = Pick<ConfigProblem, 'expected' | 'nearest'>;

function describeText(matrix: Matrix, key: string, text: string): Finding | undefined {
  const reference = /\{(\w+)\}/.exec(text)?.[1];
  if (reference !== undefined) {
    if ((CONDITION_KEYS as readonly string[]).includes(reference)) return undefined;
    return withNearest('the name of an axis or fact in {}', reference, CONDITION_KEYS);
  }
  const comparators = splitComparators(text);
  if (comparators !== undefined) {
    // Short names of Kubernetes carry no patch release, so none can be asked for.
    const operand = key === 'kubernetes' ? /^\d+\.\d+$/ : /^\d+(\.\d+)*$/;
    const right = comparators.every((each) => operand.test(each.operand));
    if (right) return undefined;
    return {
      expected: key === 'kubernetes' ? 'a minor release such as ">=1.32"' : 'versions such as ">=1.6 <1.6.3"',
    };
  }
  const isAxis = (AXES as readonly string[]).includes(key);
  if (!isAxis || /[*?]/.test(text) || isKnownValue(matrix, key as Axis, text)) return undefined;
  return withNearest(`a value of ${key}`, text, matrix.axes[key as Axis].values);
}

function withNearest(expected: string, word: string, candidates: readonly string[]): Finding {
  const nearest = nearestName(word, candidates);
  return nearest === undefined ? { expected } : { expected, nearest };
}
