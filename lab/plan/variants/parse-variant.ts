import { AXES, AXIS_DEFINITIONS, DEFAULT_VARIANT, type Axis, type Variant } from '../../model/axes/axes.ts';
import { usageErrorOf } from '../../model/errors/usage-problems.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { matchesPattern } from '../../model/text/pattern.ts';
import { nearestName, formatHint } from '../../model/text/nearest.ts';
import { readPasted, type PastedVersion } from './pasted-version.ts';
import { compareAsWritten } from '../../model/variants/versions.ts';
import { readPart, writePart } from '../../model/variants/variant-name.ts';

/** Whether an axis knows a value, by name or by pattern. */
export function isKnownValue(matrix: Matrix, axis: Axis, value: string): boolean {
  const { values, patterns } = matrix.axes[axis];
  return values.includes(value) || patterns.some((pattern) => matchesPattern(pattern, value));
}

/** A value of an axis, and what is dropped of the text that means it. */
type FoundValue = PastedVersion;

/** Finds the value that a text means: itself, or a version as something else prints it; undefined when there is none. */
export function findValue(matrix: Matrix, axis: Axis, text: string): FoundValue | undefined {
  if (isKnownValue(matrix, axis, text)) return { value: text };
  const pasted = readPasted(axis, text);
  return pasted !== undefined && isKnownValue(matrix, axis, pasted.value) ? pasted : undefined;
}

/** Splits `axis=value`; undefined for a word without `=`. A `=` inside a value stays there. */
export function splitAssignment(word: string): { key: string; value: string } | undefined {
  const at = word.indexOf('=');
  return at <= 0 ? undefined : { key: word.slice(0, at), value: word.slice(at + 1) };
}

/** Whether a word is the name of an axis. */
export function isAxis(word: string): word is Axis {
  return (AXES as readonly string[]).includes(word);
}

/** Returns the variant of a canonical name (the inverse of `variantName`), or the parts that no axis knows. */
export function parseVariantName(
  matrix: Matrix,
  name: string,
): { variant: Variant } | { problems: readonly string[] } {
  const variant: Record<Axis, string> = { ...DEFAULT_VARIANT };
  if (name === 'default') return { variant };
  const problems: string[] = [];
  const taken = new Set<Axis>();
  for (const part of name.split('_')) {
    const found = findPart(matrix, part);
    if (found === undefined) {
      const hint =
        part === 'default' ? ' (the default variant is named by that word only)' : hintOfPart(matrix, part);
      problems.push(`"${part}" is not a value of any axis${hint}`);
    } else if (taken.has(found.axis)) {
      problems.push(`"${name}" has two values of ${found.axis}: ${variant[found.axis]} and ${found.value}`);
    } else {
      taken.add(found.axis);
      variant[found.axis] = found.value;
    }
  }
  return problems.length > 0 ? { problems } : { variant };
}

/** The value of a part of a name; of one that is pasted, as names have it. */
function findPart(matrix: Matrix, part: string): { axis: Axis; value: string } | undefined {
  const known = readPart(AXIS_DEFINITIONS, part, (axis, value) => isKnownValue(matrix, axis, value));
  const found =
    known ?? readPart(AXIS_DEFINITIONS, part, (axis, value) => findValue(matrix, axis, value) !== undefined);
  if (found === undefined) return undefined;
  return { ...found, value: findValue(matrix, found.axis, found.value)?.value ?? found.value };
}

/**
 * Returns the variant that words describe: nothing (the default), a canonical name, or `axis=value` words.
 *
 * @throws UsageError naming every word that is wrong.
 */
export function parseVariant(matrix: Matrix, words: readonly string[]): Variant {
  const variant: Record<Axis, string> = { ...DEFAULT_VARIANT };
  const problems: string[] = [];
  const names = words.filter((word) => splitAssignment(word) === undefined);
  if (names.length > 1) problems.push(`one variant was expected, received ${names.join(' ')}`);
  const [name] = names;
  const taken = new Map<string, string>();
  if (name?.includes('/') === true) {
    problems.push(`"${name}" is not a variant${hintOfAddress(matrix, name)}`);
  } else if (name !== undefined) {
    const parsed = parseVariantName(matrix, name);
    if ('problems' in parsed) problems.push(...parsed.problems);
    else Object.assign(variant, parsed.variant);
    for (const axis of AXES) if (variant[axis] !== DEFAULT_VARIANT[axis]) taken.set(axis, variant[axis]);
  }
  for (const word of words) {
    const assignment = splitAssignment(word);
    if (assignment === undefined) continue;
    const { key, value: text } = assignment;
    const found = isAxis(key) ? findValue(matrix, key, text) : undefined;
    const value = found?.value ?? text;
    const other = taken.get(key);
    taken.set(key, value);
    if (other !== undefined && other !== value)
      problems.push(`a variant has one value of ${key}, not ${other} and ${value}`);
    else if (!isAxis(key)) problems.push(`there is no axis "${key}"${formatHint(key, AXES)}`);
    else if (found === undefined) problems.push(describeUnknownValue(matrix, key, value));
    else variant[key] = value;
  }
  if (problems.length > 0) throw usageErrorOf(problems, NAME_VARIANT);
  return Object.freeze(variant);
}

/** For the address of a cell: the variant that is in it. */
function hintOfAddress(matrix: Matrix, address: string): string {
  const [name = ''] = address.split('/');
  return 'variant' in parseVariantName(matrix, name) ? ` (did you mean "${name}", without a scenario?)` : '';
}

/** Says that an axis does not know a value, with the nearest one or all there are. */
export function describeUnknownValue(matrix: Matrix, axis: Axis, value: string): string {
  const { values, example } = matrix.axes[axis];
  // A path is near to nothing, and an older release is meant to be old.
  const nearest = value.includes(':')
    ? undefined
    : (findOldest(axis, value, values) ?? nearestName(value, values));
  const exact = example === undefined ? '' : `, or an exact one like ${example}`;
  const hint =
    nearest === undefined ? `there are: ${values.join(', ')}${exact}` : `did you mean "${nearest}"${exact}?`;
  return `${axis} has no value "${value}" (${hint})`;
}

/** The oldest release that an axis names, for one that is older still. */
function findOldest(axis: Axis, value: string, values: readonly string[]): string | undefined {
  if (axis !== 'kubernetes' || !/^\d+\.\d+$/.test(value)) return undefined;
  const [oldest] = values.toSorted(compareAsWritten);
  return oldest !== undefined && compareAsWritten(value, oldest) < 0 ? oldest : undefined;
}

/** What is tried next where cells were to be selected. */
export const TRY_SELECT =
  "npx whodunit list '*' for all cells, or npx whodunit help list for what words mean";
/** What is tried next where one variant was to be named. */
const NAME_VARIANT =
  'npx whodunit help up for how a variant is named, or npx whodunit explain <axis> for its values';

/** What may have been meant by a word that no axis knows: an exact version, or a near name. */
function hintOfPart(matrix: Matrix, part: string): string {
  return hintOfExact(matrix, part) ?? formatHint(part, ['default', ...listNameParts(matrix)]);
}

/** For the beginning of a version, such as 1.33: an exact one of the axis that knows such; undefined for other words. */
export function hintOfExact(matrix: Matrix, part: string): string | undefined {
  for (const axis of AXIS_DEFINITIONS) {
    const { example } = matrix.axes[axis.name];
    const exact = example === undefined ? '' : writePart(axis, example);
    if (shapeOf(exact).startsWith(`${shapeOf(part)}.`))
      return ` (did you mean an exact ${axis.name}, like ${exact}?)`;
  }
  return undefined;
}

/** Versions of one shape differ only in their numbers. */
function shapeOf(word: string): string {
  return word.replaceAll(/\d+/g, '0');
}

function listNameParts(matrix: Matrix): string[] {
  return AXIS_DEFINITIONS.flatMap((axis) =>
    matrix.axes[axis.name].values.map((value) => writePart(axis, value)),
  );
}
