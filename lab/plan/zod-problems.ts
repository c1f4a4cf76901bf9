import type { z } from 'zod';
import { configProblem, type ConfigProblem } from '../model/errors.ts';
import { nearestName } from '../model/nearest.ts';

type Issue = z.core.$ZodIssue;

/** How a message of zod itself begins. */
const ZOD_SAYS = 'Invalid input: expected ';

/** Turns what zod found in one file into problems for a person: one per unknown field, with the nearest name. */
export function listZodProblems(
  file: string,
  schema: z.ZodType,
  value: unknown,
  error: z.ZodError,
): ConfigProblem[] {
  return error.issues.flatMap((issue) => describeIssue(file, schema, value, issue));
}

function describeIssue(file: string, schema: z.ZodType, value: unknown, issue: Issue): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = findKnownKeys(schema, issue.path, value);
    return issue.keys.map((key) =>
      problem(
        file,
        [...issue.path, key],
        `one of the fields ${known.join(', ')}`,
        `the unknown field "${key}"`,
        {
          word: key,
          candidates: known,
        },
      ),
    );
  }
  if (issue.code === 'invalid_key' && issue.path.length > 0) {
    const key = String(issue.path.at(-1));
    const options = issue.issues.flatMap((inner) =>
      inner.code === 'invalid_value' ? inner.values.map(String) : [],
    );
    const expected = options.length > 0 ? `one of ${options.join(', ')}` : 'a valid name';
    return [problem(file, issue.path, expected, `"${key}"`, { word: key, candidates: options })];
  }
  const received = valueAt(value, issue.path);
  const shown = received === undefined ? 'nothing' : JSON.stringify(received);
  if (issue.code === 'invalid_value') {
    const options = issue.values.map(String);
    return [
      problem(file, issue.path, `one of ${options.join(', ')}`, shown, {
        word: String(received),
        candidates: options,
      }),
    ];
  }
  // A message of our own says what is expected.
  const isOwn = !issue.message.startsWith(ZOD_SAYS);
  if (issue.code === 'invalid_type' && !isOwn) return [problem(file, issue.path, issue.expected, shown)];
  return [problem(file, issue.path, isOwn ? issue.message : issue.message.slice(ZOD_SAYS.length), shown)];
}

function problem(
  file: string,
  path: readonly PropertyKey[],
  expected: string,
  received: string,
  hint?: { word: string; candidates: readonly string[] },
): ConfigProblem {
  const nearest = hint === undefined ? undefined : nearestName(hint.word, hint.candidates);
  return configProblem(file, path.map(String).join('.'), expected, received, nearest);
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
  /** Of a record: what its keys may be. */
  readonly keyType?: z.ZodType;
  /** Of an enum: name to value. */
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
