import type { Axis, Variant } from '../../model/axes/axes.ts';
import type { Condition, Conditional, Known } from '../../model/declared/condition.ts';
import { readPasted } from './pasted-version.ts';
import { compileRange, parseRange } from '../../model/variants/version-range.ts';
import { compileGlob } from '../../model/text/match-glob.ts';

/** Looks up an axis, fact or parameter of a cell; undefined when it is not known. */
type Lookup = (key: string) => string | undefined;
type Test = (value: string, lookup: Lookup) => boolean;

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

function compileCondition(condition: Condition): (lookup: Lookup) => boolean {
  const tests = Object.entries(condition).map(([key, texts]) => {
    const alternatives = texts.map((text) => compileTextOf(key, text));
    return (lookup: Lookup): boolean => {
      const value = lookup(key);
      return value !== undefined && alternatives.some((matches) => matches(value, lookup));
    };
  });
  return (lookup) => tests.every((holds) => holds(lookup));
}

/** A range of Kubernetes is about the exact release that a short name means: only that has a patch release. */
function compileTextOf(key: string, text: string): Test {
  const matches = compileText(readPasted(key, text)?.value ?? text);
  if (key !== 'kubernetes' || parseRange(text) === undefined) return matches;
  return (value, lookup) => matches(lookup('kubernetesVersion') ?? value, lookup);
}

function compileText(text: string): Test {
  const reference = /\{(\w+)\}/.exec(text)?.[1];
  if (reference !== undefined) {
    return (value, lookup) => {
      const other = lookup(reference);
      return other !== undefined && compileText(text.replace(`{${reference}}`, other))(value, lookup);
    };
  }
  const range = parseRange(text);
  return range === undefined ? compileGlob(text) : rememberAnswers(compileRange(range));
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
