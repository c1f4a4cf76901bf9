import {
  isParameterText,
  type Parameter,
  type Parameters,
  type ParameterTexts,
  type ParameterValue,
} from '../../model/declared/parameters.ts';
import { matchesPattern } from '../../model/text/pattern.ts';
import { matchGlob } from '../../model/text/match-glob.ts';

/**
 * Parameters filled into parsed YAML. `${limit}` means a value; where it is the whole text, a number stays a number.
 * `$${limit}` is the text `${limit}`. Kubernetes' own `$(NAME)` means what it always does.
 */
const REFERENCE = /(\$?)\$\{([^{}]*)\}/g;
const WHOLE_REFERENCE = /^\$\{([^{}]*)\}$/;

/** The field of a stimulus that is a shell script: it gets its parameters as variables, and nothing is filled in. */
const SCRIPT = 'script';

/** Returns a value with every `${name}` in its texts and keys replaced; unknown names stay as they are. */
export function fillParameters(
  value: unknown,
  parameters: Readonly<Record<string, ParameterValue>>,
): unknown {
  if (typeof value === 'string') return fillText(value, parameters);
  if (Array.isArray(value)) return value.map((entry) => fillParameters(entry, parameters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      String(fillText(key, parameters)),
      key === SCRIPT ? inner : fillParameters(inner, parameters),
    ]),
  );
}

function fillText(text: string, parameters: Readonly<Record<string, ParameterValue>>): ParameterValue {
  const whole = WHOLE_REFERENCE.exec(text)?.[1];
  const value = whole === undefined ? undefined : parameters[whole];
  if (value !== undefined) return value;
  return text.replaceAll(REFERENCE, (found, escape: string, name: string) =>
    escape === '$' ? found.slice(1) : String(parameters[name] ?? found),
  );
}

/** A name that a file uses, and where: `spec.containers.0.image`. */
export interface Reference {
  readonly name: string;
  readonly path: string;
}

/** Lists every `${name}` in the texts and keys of a value. */
export function listReferences(value: unknown, path: readonly string[] = []): Reference[] {
  if (typeof value === 'string') {
    const at = path.join('.');
    const names = [...value.matchAll(REFERENCE)].flatMap(([, escape, name = '']) =>
      escape === '$' ? [] : [{ name, path: at }],
    );
    const open = /\$\{(.*)/.exec(value.replaceAll(REFERENCE, ''))?.[1];
    return open === undefined
      ? names
      : [...names, { name: `${open.replaceAll('}', '') || '…'}, which is not closed`, path: at }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...listReferences(key, path),
    ...(key === SCRIPT ? [] : listReferences(inner, [...path, key])),
  ]);
}

/** Whether a script in a value reads a variable: `$limit`, `${limit}` or `${limit%Mi}`. */
export function isReadByScript(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) =>
    key === SCRIPT && typeof inner === 'string'
      ? new RegExp(`\\$(\\{[#!]?)?${name}\\b`).test(inner)
      : isReadByScript(inner, name),
  );
}

/** Whether a parameter knows a value, by name or by pattern. */
export function isKnownText(parameter: Parameter, text: string): boolean {
  return (
    parameter.values.some((value) => String(value) === text) ||
    (isParameterText(text) && parameter.patterns.some((pattern) => matchesPattern(pattern, text)))
  );
}

/** The values of a parameter that a text means: named values for a glob, else itself when it is known. */
export function expandText(parameter: Parameter, text: string): string[] {
  if (isKnownText(parameter, text)) return [text];
  // Many programs print `v1.2.3`.
  const plain = /^v\d/.test(text) ? text.slice(1) : text;
  if (isKnownText(parameter, plain)) return [plain];
  return parameter.values.map(String).filter((value) => matchGlob(text, value));
}

/** Returns the value of every declared parameter: the chosen one, else the default. */
export function chooseValues(
  declared: Parameters,
  chosen: ParameterTexts,
): Readonly<Record<string, ParameterValue>> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, parameter]) => {
      const text = chosen[name] ?? String(parameter.default);
      return [name, parameter.values.find((value) => String(value) === text) ?? text];
    }),
  );
}

/** The values that are not at their default, in declared order: what an address shows. */
export function changedTexts(declared: Parameters, texts: ParameterTexts): ParameterTexts {
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, parameter]) => {
      const text = texts[name];
      return text === undefined || text === String(parameter.default) ? [] : [[name, text]];
    }),
  );
}
