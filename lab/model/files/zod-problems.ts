import type { z } from 'zod';
import { configProblem, type ConfigProblem } from '../errors/errors.ts';
import { nearestName } from '../text/nearest.ts';
import { kindOfManifest, meantBy } from './slips.ts';

type Issue = z.core.$ZodIssue;

/** How messages of zod itself begin. Any other one is ours, and says what is expected. */
const ZOD_SAYS = /^(Invalid|Too (small|big)|Unrecognized)\b/;

/** Turns what zod found in one file into problems for a person: one per unknown field, with the nearest name. */
export function listZodProblems(
  file: string,
  schema: z.ZodType,
  value: unknown,
  error: z.ZodError,
): ConfigProblem[] {
  const kind = kindOfManifest(value);
  // All that it lacks and has too much only follows from this.
  if (kind !== undefined) return [configProblem(file, 'kind', NO_MANIFEST, JSON.stringify(kind))];
  const findings = error.issues.flatMap((issue) =>
    describeIssue(schema, value, issue).map(({ path, ...finding }) => ({
      ...finding,
      path: path.map(String).join('.'),
    })),
  );
  return dropExplained(findings).map(({ path, expected, received, nearest }) =>
    configProblem(file, path, expected, received, nearest),
  );
}

/** Drops what is missing only because its name is misspelt: the unknown field says so already. */
export function dropExplained<
  T extends Pick<ConfigProblem, 'path' | 'received'> & { nearest?: string | undefined },
>(findings: readonly T[]): T[] {
  const meant = findings.flatMap(({ path, received, nearest }) =>
    nearest !== undefined && received.startsWith(UNKNOWN)
      ? [[...path.split('.').slice(0, -1), nearest].join('.')]
      : [],
  );
  return findings.filter(({ path, received }) => received !== 'nothing' || !meant.includes(path));
}

/** How the text about an unknown field begins. */
const UNKNOWN = 'the unknown field ';

/** What is received where a field has a name that nobody knows. */
export function showUnknown(name: string): string {
  return `${UNKNOWN}${JSON.stringify(name)}`;
}

/** What a file is that has an object of Kubernetes in its place. */
const NO_MANIFEST =
  'the fields of this file, not an object of Kubernetes: those of a scenario are in the folder manifests/ beside it';
/** YAML 1.2 has no merge keys. */
const NO_MERGE = 'fields that are written out, or an alias (*name) of a whole value: YAML 1.2 merges none';

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly expected: string;
  readonly received: string;
  readonly nearest?: string | undefined;
}

function describeIssue(schema: z.ZodType, value: unknown, issue: Issue): Finding[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = findKnownKeys(schema, path, value);
    return issue.keys.map((key) => ({
      path: [...path, key],
      expected: key === '<<' ? NO_MERGE : `one of the fields ${known.join(', ')}`,
      received: showUnknown(key),
      nearest: nearestName(key, known),
    }));
  }
  if (issue.code === 'invalid_key') {
    const key = String(path.at(-1));
    const options = issue.issues.flatMap((inner) =>
      inner.code === 'invalid_value' ? inner.values.map(String) : [],
    );
    const [own] = issue.issues.map(({ message }) => message).filter((text) => !ZOD_SAYS.test(text));
    const expected = options.length > 0 ? `one of ${options.join(', ')}` : (own ?? 'a valid name');
    return [{ path, expected, received: JSON.stringify(key), nearest: nearestName(key, options) }];
  }
  const received = valueAt(value, path);
  const own = ZOD_SAYS.test(issue.message) ? undefined : issue.message;
  if (own !== undefined) return [{ path, expected: own, received: showValue(received) }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return describeUnion(schema, value, issue.path, issue.errors);
  const options = optionsOf(issue);
  const expected = options === undefined ? describeExpected(issue) : describeOptions(options);
  // A number in quotes is nearest to itself: its kind is what is wrong.
  const near = typeof received === 'string' ? nearestName(received, textsOf(options ?? [])) : undefined;
  const nearest = issue.code === 'invalid_type' ? meantBy(issue.expected, received, path) : near;
  return [{ path, expected, received: showValue(received, expected), nearest }];
}

/** The branch of a union that fits best is the one that was meant: the fewest problems, deepest inside. */
function describeUnion(
  schema: z.ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  branches: readonly (readonly Issue[])[],
): Finding[] {
  const inside = branches.map((issues) =>
    issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
  );
  const [best = []] = inside
    .filter((issues) => issues.some((issue) => issue.path.length > path.length))
    .toSorted((a, b) => a.length - b.length);
  if (best.length > 0) return best.flatMap((issue) => describeIssue(schema, value, issue));
  const kinds = inside.flat().map((issue) => describeExpected(issue));
  const expected = [...new Set(kinds)].join(' or ');
  return [{ path, expected, received: showValue(valueAt(value, path), expected) }];
}

/** What a field may be, where it is one of few values. */
function optionsOf(issue: Issue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values;
  // The kinds of a discriminated union; zod says so without a type for it.
  const { options } = issue as { readonly options?: readonly unknown[] };
  return issue.code === 'invalid_union' ? options : undefined;
}

function textsOf(options: readonly unknown[]): string[] {
  return options.filter((option) => typeof option === 'string');
}

function describeOptions(options: readonly unknown[]): string {
  return options.length === 1 ? JSON.stringify(options[0]) : `one of ${options.map(String).join(', ')}`;
}

/** What zod calls a type → what a person calls it. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'fields',
  record: 'fields',
  null: 'nothing',
};

const UNITS: Readonly<Record<string, string>> = { array: 'entries', string: 'characters', record: 'fields' };

/** A type of JSON or zod, as a person calls it. */
export function describeType(type: string): string {
  return TYPES[type] ?? type;
}

function describeExpected(issue: Issue): string {
  if (issue.code === 'invalid_type') return describeType(issue.expected);
  if (issue.code === 'too_small') {
    const { origin, minimum, inclusive } = issue;
    if (minimum === 1 && origin === 'string') return 'text that is not empty';
    if (minimum === 1 && origin === 'array') return 'a list that is not empty';
    const unit = UNITS[origin];
    const bound = `${inclusive === false ? 'more than' : 'at least'} ${minimum}`;
    return unit === undefined ? `a number, ${bound}` : `${bound} ${unit}`;
  }
  if (issue.code === 'too_big') {
    const { origin, maximum, inclusive } = issue;
    const unit = UNITS[origin];
    const bound = `${inclusive === false ? 'less than' : 'at most'} ${maximum}`;
    return unit === undefined ? `a number, ${bound}` : `${bound} ${unit}`;
  }
  if (issue.code === 'invalid_format') return `text that fits ${issue.pattern ?? issue.format}`;
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  return issue.message;
}

/** A value as a person sees it. Where text was wanted, a number or a switch is said to lack quotes. */
export function showValue(value: unknown, expected = ''): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty field';
  const isBare = typeof value === 'number' || typeof value === 'boolean';
  if (isBare) return expected.startsWith('text') ? `${value} without quotes` : String(value);
  if (typeof value === 'string' && /^[\d.]+$/.test(value) && /number|^\d+$/.test(expected))
    return `${JSON.stringify(value)}, which is text`;
  return JSON.stringify(value) ?? 'nothing';
}
/** The value at a path inside parsed YAML; undefined when there is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

interface SchemaDef {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  /** What the keys of a record may be. */
  readonly keyType?: z.ZodType;
  /** The entries of an enum: name to value. */
  readonly entries?: Record<string, string>;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The fields that the schema knows at a path. */
function findKnownKeys(schema: z.ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const def = schema.def as unknown as SchemaDef;
  if (def.innerType !== undefined) return findKnownKeys(def.innerType, path, value);
  if (def.options !== undefined) {
    return [...new Set(def.options.flatMap((option) => findKnownKeys(option, path, value)))];
  }
  const [head, ...rest] = path;
  if (head === undefined) {
    const keys = def.keyType?.def as unknown as SchemaDef | undefined;
    return Object.keys(def.shape ?? keys?.entries ?? {});
  }
  const next = def.shape?.[String(head)] ?? def.element ?? def.valueType;
  return next === undefined ? [] : findKnownKeys(next, rest, valueAt(value, [head]));
}
