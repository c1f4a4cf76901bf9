import { AXES, type Axis } from '../../model/axes/axes.ts';
import { splitBrackets } from '../../model/host/cell-address.ts';
import { formatHint } from '../../model/text/nearest.ts';
import { listReportedBugs } from '../bugs/find-bug.ts';
import { collectDeclared } from '../check/check-condition.ts';
import type { SELECTOR_KEYS } from '../check/check-parameters.ts';
import type { Config } from '../config/parse-config.ts';
import { isGlob, matchGlob } from '../../model/text/match-glob.ts';
import { isSpan, parseRange } from '../../model/variants/version-range.ts';
import { describeUnknownValue, findValue, isAxis, splitAssignment } from '../variants/parse-variant.ts';
import { describeUnknownWanted, type Wanted } from './vary-scenarios.ts';

/** The words of a command, read. */
export interface Selector {
  /** Bare words: globs over addresses, scenario names and variant names; several add up. */
  readonly globs: readonly string[];
  /** `axis=a,b` words; a glob is replaced by the named values that it matches. */
  readonly axes: Readonly<Partial<Record<Axis, readonly string[]>>>;
  /** `<parameter>=a,b` words: texts and globs. They narrow the choice to scenarios that declare it. */
  readonly parameters: Wanted;
  /** `scenario=`, `tag=` and `bug=` words: globs; each narrows the choice. */
  readonly scenarios: readonly string[];
  readonly tags: readonly string[];
  readonly bugs: readonly string[];
  /** `set=`; several add up. */
  readonly sets: readonly string[];
}

const KEYS = { scenario: 'scenarios', tag: 'tags', bug: 'bugs', set: 'sets' } as const satisfies Readonly<
  Record<(typeof SELECTOR_KEYS)[number], keyof Selector>
>;

/** Reads selector words and lists everything that is wrong with them (empty when they are fine). */
export function parseSelector(
  config: Config,
  words: readonly string[],
): { selector: Selector; problems: string[] } {
  const problems: string[] = [];
  const axes: Partial<Record<Axis, string[]>> = {};
  const parameters: Record<string, string[]> = {};
  const declared = collectDeclared(config.scenarios);
  const lists = { globs: [], scenarios: [], tags: [], bugs: [], sets: [] } as Record<string, string[]>;
  for (const word of words) {
    const assignment = readAssignment(word);
    if (assignment === undefined) {
      lists.globs?.push(word);
      continue;
    }
    const { key, value } = assignment;
    const values = value.split(',').filter((part) => part !== '');
    if (values.length === 0) problems.push(`"${word}" has no value`);
    else if (values.length < value.split(',').length)
      problems.push(`"${word}" has an empty value in its list`);
    if (isAxis(key)) {
      axes[key] = [...(axes[key] ?? []), ...expandValues(config, key, values, problems)];
    } else if (Object.hasOwn(KEYS, key)) {
      const name = key as keyof typeof KEYS;
      const named = name === 'bug' ? values.map((word) => idOfBug(config, word)) : values;
      problems.push(...checkNames(name, named, namesOf(config, name)));
      lists[KEYS[name]]?.push(...named);
    } else if (Object.hasOwn(declared, key)) {
      problems.push(...describeUnknownWanted(declared, { [key]: values }));
      parameters[key] = [...(parameters[key] ?? []), ...values];
    } else {
      const known = [...AXES, ...Object.keys(declared), ...Object.keys(KEYS)];
      problems.push(`there is no axis or parameter "${key}"${formatHint(key, known)}`);
    }
  }
  return { selector: { axes, parameters, ...lists } as unknown as Selector, problems };
}

/** A word with brackets at its end is `axis=value` only where an axis has a span: `kubernetes=1.30.[0-3]`. */
function readAssignment(word: string): ReturnType<typeof splitAssignment> {
  const assignment = splitAssignment(word);
  if (splitBrackets(word).inside === undefined) return assignment;
  return assignment !== undefined && isAxis(assignment.key) ? assignment : undefined;
}

function expandValues(config: Config, axis: Axis, values: readonly string[], problems: string[]): string[] {
  return values.flatMap((value) => {
    const named = isGlob(value)
      ? config.matrix.axes[axis].values.filter((known) => matchGlob(value, known))
      : [];
    if (named.length > 0) return named;
    const range = isSpan(value) ? parseRange(value) : undefined;
    if (range !== undefined && 'versions' in range && range.versions.length > 0)
      return expandValues(config, axis, range.versions, problems);
    const found = findValue(config.matrix, axis, value);
    if (found !== undefined) return [found.value];
    problems.push(describeUnknownValue(config.matrix, axis, value));
    return [];
  });
}

/** The id of the only bug that a number or an issue (`131567`, `kubernetes#131567`) means; else the word itself. */
function idOfBug({ bugs }: Config, word: string): string {
  if (bugs.some(({ id }) => id === word)) return word;
  const found = listReportedBugs(bugs, word);
  return found.length === 1 ? (found[0]?.id ?? word) : word;
}

function checkNames(key: string, values: readonly string[], known: readonly string[]): string[] {
  return values
    .filter((value) => !known.some((name) => matchGlob(value, name)))
    .map((value) =>
      known.length === 0
        ? `there is no ${key} "${value}": no scenario has one`
        : `there is no ${key} "${value}"${formatHint(value, known)}`,
    );
}

function namesOf(config: Config, key: keyof typeof KEYS): string[] {
  const scenarios = config.scenarios.map((loaded) => loaded.scenario);
  switch (key) {
    case 'scenario':
      return scenarios.map((scenario) => scenario.name);
    case 'tag':
      return [...new Set(scenarios.flatMap((scenario) => scenario.tags))].sort();
    case 'bug':
      return [...config.bugs.map(({ id }) => id), ...config.broken.bugs.map(({ name }) => name)];
    case 'set':
      return Object.keys(config.matrix.sets);
  }
}
