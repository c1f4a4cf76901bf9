import type { Axis, Variant } from '../../model/axes/axes.ts';
import type { Condition, Conditional, Known } from '../../model/declared/condition.ts';
import { compareNumbers, leadingVersion } from '../../model/variants/versions.ts';
import { compileGlob } from '../../model/text/match-glob.ts';

/** Looks up an axis, fact or parameter of a cell; undefined when it is not known. */
type Lookup = (key: string) => string | undefined;
type Test = (value: string, lookup: Lookup) => boolean;

/** One comparator of a condition, `>=1.32`; the operand may be `{name}`. */
const COMPARATOR = /^(<=|>=|<|>)(.+)$/;
const HOLDS: Readonly<Record<string, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** Conditions come from files that are read once and frozen: each is compiled at its first use. */
const compiled = new WeakMap<Condition, (lookup: Lookup) => boolean>();

/** Whether a condition holds for a variant, or for a cell whose parameters are known too. The empty one holds for all. */
export function matchesCondition(condition: Condition, variant: Variant, known: Known): boolean {
  let matches = compiled.get(condition);
  if (matches === undefined) {
    matches = compileCondition(condition);
    compiled.set(condition, matches);
  }
  return matches((key) => variant[key as Axis] ?? known[key]);
}

/** Whether a statement speaks of a variant: `when` holds and `unless` does not. */
export function appliesTo({ when, unless }: Conditional, variant: Variant, known: Known): boolean {
  return (
    matchesCondition(when, variant, known) &&
    !(unless !== undefined && matchesCondition(unless, variant, known))
  );
}

/** Whether a version fits a text of a condition: comparators, or a glob. */
export function matchesVersions(text: string, version: string): boolean {
  return compileText(text)(version, () => undefined);
}

/** The comparators of a text of a condition; undefined when it is a glob. */
export function splitComparators(text: string): { operator: string; operand: string }[] | undefined {
  const parts = text.split(/\s+/).map((part) => COMPARATOR.exec(part));
  if (parts[0] === null || parts[0] === undefined) return undefined;
  return parts.map((part) => ({ operator: part?.[1] ?? '', operand: part?.[2] ?? '' }));
}

function compileCondition(condition: Condition): (lookup: Lookup) => boolean {
  const tests = Object.entries(condition).map(([key, texts]) => {
    const alternatives = texts.map(compileText);
    return (lookup: Lookup): boolean => {
      const value = lookup(key);
      return value !== undefined && alternatives.some((matches) => matches(value, lookup));
    };
  });
  return (lookup) => tests.every((holds) => holds(lookup));
}

function compileText(text: string): Test {
  const reference = /\{(\w+)\}/.exec(text)?.[1];
  if (reference !== undefined) {
    return (value, lookup) => {
      const other = lookup(reference);
      return other !== undefined && compileText(text.replace(`{${reference}}`, other))(value, lookup);
    };
  }
  const comparators = splitComparators(text);
  if (comparators === undefined) return compileGlob(text);
  const tests = comparators.map(({ operator, operand }) => ({
    holds: HOLDS[operator] ?? (() => false),
    numbers: operand.split('.').map(Number),
  }));
  return rememberAnswers((value) => {
    const version = leadingVersion(value);
    return (
      version !== undefined && tests.every(({ holds, numbers }) => holds(compareNumbers(version, numbers)))
    );
  });
}

/** Asks once for each value: a plan has few versions and 100,000 variants of them. */
function rememberAnswers(test: (value: string) => boolean): (value: string) => boolean {
  const answers = new Map<string, boolean>();
  return (value) => {
    let answer = answers.get(value);
    if (answer === undefined) {
      answer = test(value);
      answers.set(value, answer);
    }
    return answer;
  };
}
