import { parseAllDocuments, stringify } from 'yaml';
import { tryParseJson } from '../model/files/parse-json.ts';
import { REDACTED, type OnRedacted } from './secret-patterns.ts';

/**
 * What is secret by its place in an object of Kubernetes or of a runtime: the data of a Secret, and the values of the
 * environment and the arguments of a container, of which the names stay. It is looked for in JSON, YAML and JSON inside of
 * a text.
 */

/** What a text has that any of this is in. */
const MAY_HOLD = /Secret|env|args|command/;
const ARGUMENTS = ['args', 'command'];
const ENVIRONMENT = ['env', 'envs'];

/** A line of JSON. */
export function redactJsonLine(line: string, onRedacted: OnRedacted): string {
  if (!MAY_HOLD.test(line)) return line;
  const at = line.search(/[{[]/);
  const value = at < 0 ? undefined : tryParseJson(line.slice(at));
  if (value === undefined) return line;
  const redacted = redactValue(value, onRedacted);
  return redacted === undefined ? line : line.slice(0, at) + asciiJson(redacted.value);
}

/** A whole file of JSON or YAML; undefined when it is none, or has nothing of this. */
export function redactStructured(text: string, name: string, onRedacted: OnRedacted): string | undefined {
  if (!MAY_HOLD.test(text)) return undefined;
  if (name.endsWith('.json')) {
    const value = tryParseJson(text);
    const redacted = value === undefined ? undefined : redactValue(value, onRedacted);
    return redacted === undefined ? undefined : `${asciiJson(redacted.value, 2)}\n`;
  }
  if (!/\.ya?ml$/.test(name)) return undefined;
  const documents = parseAllDocuments(text, { logLevel: 'error' });
  if ('empty' in documents || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const redacted = documents.map((document) => redactValue(document.toJS() as unknown, onRedacted));
  if (redacted.every((part) => part === undefined)) return undefined;
  const parts = documents.map((document, index) => {
    const part = redacted[index];
    return part === undefined ? document.toString() : stringify(part.value);
  });
  return parts.join('---\n');
}

/** A value of which something was replaced. */
type Redacted = { readonly value: unknown } | undefined;

/** The value without what is secret in it, wherever it is; undefined when there is nothing. */
function redactValue(value: unknown, onRedacted: OnRedacted, isSecret = false): Redacted {
  if (typeof value === 'string') return redactNested(value, onRedacted);
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind } = value as { kind?: unknown };
  const ofSecret = isSecret || kind === 'Secret';
  let isChanged = false;
  const inner = Object.entries(value).map(([name, field]: [string, unknown]) => {
    const areSecrets = (kind === 'SecretList' && name === 'items') || (isSecret && Array.isArray(value));
    const redacted =
      ofSecret && (name === 'data' || name === 'stringData')
        ? { value: blank(field, onRedacted) }
        : (redactField(name, field, onRedacted) ?? redactValue(field, onRedacted, areSecrets));
    isChanged ||= redacted !== undefined;
    return [name, redacted === undefined ? field : redacted.value] as const;
  });
  if (!isChanged) return undefined;
  return { value: Array.isArray(value) ? inner.map(([, field]) => field) : Object.fromEntries(inner) };
}

/** The environment or the arguments of a container; undefined when the field is neither, or has none. */
function redactField(name: string, field: unknown, onRedacted: OnRedacted): Redacted {
  if (!Array.isArray(field) || field.length === 0) return undefined;
  if (ENVIRONMENT.includes(name)) return changed(field, (entry) => redactVariable(entry, onRedacted));
  if (!ARGUMENTS.includes(name) || !field.every((word) => typeof word === 'string')) return undefined;
  // The program itself says what a container is.
  return changed(field, (word, index) =>
    name === 'command' && index === 0 ? word : redactArgument(word as string, onRedacted),
  );
}

function changed(list: readonly unknown[], redact: (entry: unknown, index: number) => unknown): Redacted {
  const redacted = list.map(redact);
  return redacted.some((entry, index) => entry !== list[index]) ? { value: redacted } : undefined;
}

/** `{ name, value }`, `{ key, value }` or `NAME=value`. */
function redactVariable(entry: unknown, onRedacted: OnRedacted): unknown {
  if (typeof entry === 'string') {
    const at = entry.indexOf('=');
    if (at < 0 || isBlank(entry.slice(at + 1))) return entry;
    onRedacted('container-env');
    return entry.slice(0, at + 1) + REDACTED;
  }
  if (typeof entry !== 'object' || entry === null) return entry;
  const { value } = entry as { value?: unknown };
  if (typeof value !== 'string' || isBlank(value)) return entry;
  onRedacted('container-env');
  return { ...entry, value: REDACTED };
}

/** The names of flags stay. */
function redactArgument(word: string, onRedacted: OnRedacted): string {
  const [name = ''] = /^(?:--?[\w.-]{1,256}=|--[\w.-]{1,256}$|-\w$)/.exec(word) ?? [];
  if (isBlank(word.slice(name.length))) return word;
  onRedacted('container-args');
  return name + REDACTED;
}

function isBlank(text: string): boolean {
  return text === '' || text === REDACTED;
}

function blank(data: unknown, onRedacted: OnRedacted): unknown {
  if (typeof data !== 'object' || data === null) {
    onRedacted('secret-data');
    return REDACTED;
  }
  return Object.fromEntries(
    Object.keys(data).map((name) => {
      onRedacted('secret-data');
      return [name, REDACTED];
    }),
  );
}

/** JSON inside of a text, as kubectl writes it into an annotation. */
function redactNested(text: string, onRedacted: OnRedacted): Redacted {
  if (!MAY_HOLD.test(text) || !'{['.includes(text.trimStart().charAt(0))) return undefined;
  const value = tryParseJson(text);
  const redacted = value === undefined ? undefined : redactValue(value, onRedacted);
  return redacted === undefined ? undefined : { value: JSON.stringify(redacted.value) };
}

/** Bytes of the file may be read as Latin-1: a letter beyond ASCII is written as its number, which means the same. */
function asciiJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
