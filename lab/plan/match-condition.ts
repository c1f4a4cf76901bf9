import type { Axis, Variant } from '../model/axes.ts';
import type { Condition, Conditional, Known } from '../model/condition.ts';
import { compileGlob } from './match-glob.ts';

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

/** The comparators of a text of a condition; undefined when it is a glob. */
export function splitComparators(text: string): { operator: string; operand: string }[] | undefined {
  const parts = text.split(/\s+/).map((part) => COMPARATOR.exec(part));
  if (parts[0] === null || parts[0] === undefined) return undefined;
  return parts.map((part) => ({ operator: part?.[1] ?? '', operand: part?.[2] ?? '' }));
}

/** The leading version of a value (`1.34.2` of `1.34.2@file:…`); undefined when it has none. */
export function leadingVersion(value: string): string | undefined {
  return /^\d+(\.\d+)*/.exec(value)?.[0];
}

/** Compares a version with an operand, as far as the operand is written: 1.34.2 equals 1.34. */
export function compareAsWritten(version: string, operand: string): number {
  return compareNumbers(version, operand.split('.').map(Number));
}

function compareNumbers(version: string, operand: readonly number[]): number {
  const numbers = version.split('.');
  for (const [index, number] of operand.entries()) {
    const difference = Number(numbers[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
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
  return (value) => {
    const version = leadingVersion(value);
    return (
      version !== undefined && tests.every(({ holds, numbers }) => holds(compareNumbers(version, numbers)))
    );
  };
}
