import { parseAllDocuments, stringify } from 'yaml';
import { tryParseJson } from '../model/parse-json.ts';

/**
 * Takes secrets out of saved files before somebody sends them away: private keys, keys and certificates of kubeconfigs,
 * bearer and bootstrap tokens, Authorization headers, and what is in Secrets. Lines stay lines, so that a proof names the
 * same line as before.
 */

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** Fields whose value is a secret, as YAML, JSON, JSON inside of JSON, and flags write them. */
const SECRET_FIELDS = [
  ...['client-key-data', 'client-certificate-data', 'certificate-key', 'certificateKey'],
  ...['token', 'id-token', 'access-token', 'refresh-token', 'bearerToken', 'token-secret', 'password'],
].join('|');

/** Each pattern keeps its first group. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    `((?<![\\w-])(?:--)?(?:${SECRET_FIELDS})\\\\*["']?\\s*[:=]\\s*\\\\*["']?|--(?:${SECRET_FIELDS})\\s+)[\\w+/=.~-]{8,}`,
    'g',
  ),
  /(\bauthorization\\*["']?\s*[:=]\s*\[?\\*["']?(?:(?:basic|bearer|digest|negotiate)\s+)?)[^\s"'\\,{}[\]]{4,}/gi,
  /(\bbearer\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi,
  // A JSON Web Token, such as that of a service account.
  /(\b)eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}/g,
  // A bootstrap token of kubeadm.
  /((?<![\w.-]))[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g,
];

const PEM = /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----).*?(-----END [A-Z0-9 ]*PRIVATE KEY-----)/g;
const PEM_BEGINS = /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----).*$/;
const PEM_ENDS = /^.*(-----END [A-Z0-9 ]*PRIVATE KEY-----)/;
/** A line inside of a PEM block: base64, behind what a log writes before it; or a header. */
const PEM_BODY = /(^\s*[A-Za-z0-9+/]+={0,2}|[A-Za-z0-9+/]{40,}={0,2})(?:\\n)?\s*$/;
const PEM_HEADER = /^\s*(?:[A-Za-z-]+: .*)?$/;

/** The shortest base64 that can hold a bootstrap token. */
const BASE64 = /[A-Za-z0-9+/_-]{30,}={0,2}/g;
/** Base64 inside of base64 inside of base64 is looked into, and no further. */
const MAX_DEPTH = 3;
const PRINTABLE = /^[\t\n\r -~]+$/;

/** Redacts the lines of one file, in their order. It remembers whether it is inside of a private key. */
export function createLineRedactor(): (line: string) => string {
  let isInKey = false;
  return (line) => {
    if (isInKey) {
      if (PEM_ENDS.test(line)) {
        isInKey = false;
        return redactLine(line.replace(PEM_ENDS, `${REDACTED}$1`));
      }
      if (PEM_BODY.test(line)) return line.replace(PEM_BODY, REDACTED);
      if (PEM_HEADER.test(line)) return line;
      isInKey = false; // the key was cut off
    }
    const whole = line.replace(PEM, `$1${REDACTED}$2`);
    const rest = whole.replaceAll(PEM, '');
    isInKey = PEM_BEGINS.test(rest);
    return redactLine(isInKey ? cutKey(whole) : whole);
  };
}

/**
 * Redacts a whole text.
 *
 * @param name of its file: JSON and YAML that hold a Secret over several lines are read as such.
 */
export function redactText(text: string, name: string): string {
  const structured = text.includes('Secret') ? redactStructured(text, name) : undefined;
  const redact = createLineRedactor();
  return (structured ?? text).split('\n').map(redact).join('\n');
}

/** The last key of a line begins in it and does not end in it. */
function cutKey(line: string): string {
  const at = line.lastIndexOf('-----BEGIN');
  return line.slice(0, at) + line.slice(at).replace(PEM_BEGINS, `$1${REDACTED}`);
}

function redactLine(line: string, depth = 0): string {
  let text = depth === 0 ? redactJsonLine(line) : line;
  for (const pattern of PATTERNS) text = text.replace(pattern, `$1${REDACTED}`);
  if (depth === MAX_DEPTH) return text;
  return text.replaceAll(BASE64, (found) => (hidesSecret(found, depth) ? REDACTED : found));
}

function hidesSecret(base64: string, depth: number): boolean {
  const decoded = Buffer.from(base64, 'base64').toString('latin1');
  if (!PRINTABLE.test(decoded)) return false;
  return /PRIVATE KEY-----/.test(decoded) || redactLine(decoded, depth + 1) !== decoded;
}

/** A line of JSON that holds a Secret. */
function redactJsonLine(line: string): string {
  if (!line.includes('Secret')) return line;
  const at = line.search(/[{[]/);
  const value = at < 0 ? undefined : tryParseJson(line.slice(at));
  if (value === undefined) return line;
  const redacted = redactSecrets(value);
  return redacted === undefined ? line : line.slice(0, at) + asciiJson(redacted.value);
}

function redactStructured(text: string, name: string): string | undefined {
  if (name.endsWith('.json')) {
    const value = tryParseJson(text);
    const redacted = value === undefined ? undefined : redactSecrets(value);
    return redacted === undefined ? undefined : `${asciiJson(redacted.value, 2)}\n`;
  }
  if (!/\.ya?ml$/.test(name)) return undefined;
  const documents = parseAllDocuments(text);
  if ('empty' in documents || documents.some(({ errors }) => errors.length > 0)) return undefined;
  const parts = documents.map((document) => {
    const redacted = redactSecrets(document.toJS() as unknown);
    return redacted === undefined ? document.toString() : stringify(redacted.value);
  });
  return parts.join('---\n');
}

/** The value without the data of its Secrets, wherever they are in it; undefined when there is none. */
function redactSecrets(value: unknown, isSecret = false): { readonly value: unknown } | undefined {
  if (typeof value === 'string') return redactNested(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind } = value as { kind?: unknown };
  const ofSecret = isSecret || kind === 'Secret';
  let isChanged = false;
  const inner = Object.entries(value).map(([name, each]: [string, unknown]) => {
    const isData = ofSecret && (name === 'data' || name === 'stringData');
    const redacted = isData
      ? { value: blank(each) }
      : redactSecrets(
          each,
          (kind === 'SecretList' && name === 'items') || (isSecret && Array.isArray(value)),
        );
    isChanged ||= redacted !== undefined;
    return [name, redacted === undefined ? each : redacted.value] as const;
  });
  if (!isChanged) return undefined;
  return { value: Array.isArray(value) ? inner.map(([, each]) => each) : Object.fromEntries(inner) };
}

function blank(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return REDACTED;
  return Object.fromEntries(Object.keys(data).map((name) => [name, REDACTED]));
}

/** JSON inside of a text, as kubectl writes it into an annotation. */
function redactNested(text: string): { readonly value: string } | undefined {
  if (!text.includes('Secret') || !/^\s*[{[]/.test(text)) return undefined;
  const value = tryParseJson(text);
  const redacted = value === undefined ? undefined : redactSecrets(value);
  return redacted === undefined ? undefined : { value: JSON.stringify(redacted.value) };
}

/** Bytes of the file may be read as Latin-1: a letter beyond ASCII is written as its number, which means the same. */
function asciiJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
