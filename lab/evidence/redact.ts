import { parseAllDocuments, stringify } from 'yaml';
import { tryParseJson } from '../model/files/parse-json.ts';

/**
 * Takes secrets out of saved files before somebody sends them away: private keys, keys and certificates of kubeconfigs,
 * bearer and bootstrap tokens, Authorization headers, and what is in Secrets. Lines stay lines, so that a proof names the
 * same line as before.
 */

/** What a secret is replaced by. */
const REDACTED = '[redacted]';

/** Fields whose value is a secret, as YAML, JSON, JSON inside of JSON, and flags write them. */
const SECRET_FIELDS = [
  'client-key-data',
  'client-certificate-data',
  'certificate-key',
  'certificateKey',
  'token',
  'id-token',
  'access-token',
  'refresh-token',
  'bearerToken',
  'token-secret',
  'password',
].join('|');

/** Each pattern keeps its first group. */
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    `((?<![\\w-])(?:--)?(?:${SECRET_FIELDS})\\\\*["']?\\s*[:=]\\s*\\\\*["']?|--(?:${SECRET_FIELDS})\\s+)[\\w+/=.~-]{8,}`,
    'g',
  ),
  /(\bauthorization\\*["']?\s*[:=]\s*\[?\\*["']?(?:(?:basic|bearer|digest|negotiate)\s+)?)[^\s"'\\,{}[\]]{4,}/gi,
  /(\bbearer\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi,
  // A bootstrap token of kubeadm.
  /((?<![\w.-]))[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g,
];

/** Words and dots without anything between: one of them may be a JSON Web Token, such as that of a service account. */
const DOTTED = /[\w.-]+/g;
const TOKEN_BEGINS = /\beyJ[\w-]{5,}$/;

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/g;
const PEM_END = /-----END [A-Z0-9 ]*PRIVATE KEY-----/g;
const PEM_ENDS = /^.*(-----END [A-Z0-9 ]*PRIVATE KEY-----)/;
/** A line inside of a PEM block: base64, behind what a log writes before it; or a header. */
const PEM_BODY = /(^\s*[A-Za-z0-9+/]+={0,2}|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}={0,2})(?:\\n)?\s*$/;
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
    const { text, isOpen } = redactKeys(line);
    isInKey = isOpen;
    return redactLine(text);
  };
}

/**
 * Redacts the private keys of one line. The last of them may go on in the next one. Each end is looked for once: a line
 * of beginnings without an end costs no more than its length.
 */
function redactKeys(line: string): { readonly text: string; readonly isOpen: boolean } {
  let text = '';
  let from = 0;
  for (;;) {
    PEM_BEGIN.lastIndex = from;
    const begin = PEM_BEGIN.exec(line);
    if (begin === null) return { text: text + line.slice(from), isOpen: false };
    const body = begin.index + begin[0].length;
    text += line.slice(from, body) + REDACTED;
    PEM_END.lastIndex = body;
    const end = PEM_END.exec(line);
    if (end === null) return { text, isOpen: true };
    text += end[0];
    from = end.index + end[0].length;
  }
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

function redactLine(line: string, depth = 0): string {
  let text = depth === 0 ? redactJsonLine(line) : line;
  for (const pattern of PATTERNS) text = text.replace(pattern, `$1${REDACTED}`);
  text = text.replaceAll(DOTTED, redactTokens);
  if (depth === MAX_DEPTH) return text;
  return text.replaceAll(BASE64, (found) => (hidesSecret(found, depth) ? REDACTED : found));
}

/** Three words with dots between; the first is the beginning of a JSON object in base64. */
function redactTokens(dotted: string): string {
  if (!dotted.includes('eyJ')) return dotted;
  const words = dotted.split('.');
  const isLong = (word: string | undefined): boolean => word !== undefined && word.length >= 5;
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const found = isLong(words[at + 1]) && isLong(words[at + 2]) ? TOKEN_BEGINS.exec(word) : null;
    kept.push(found === null ? word : word.slice(0, found.index) + REDACTED);
    if (found !== null) at += 2;
  }
  return kept.join('.');
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
  const documents = parseAllDocuments(text, { logLevel: 'error' });
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
  const inner = Object.entries(value).map(([name, field]: [string, unknown]) => {
    const isData = ofSecret && (name === 'data' || name === 'stringData');
    const redacted = isData
      ? { value: blank(field) }
      : redactSecrets(
          field,
          (kind === 'SecretList' && name === 'items') || (isSecret && Array.isArray(value)),
        );
    isChanged ||= redacted !== undefined;
    return [name, redacted === undefined ? field : redacted.value] as const;
  });
  if (!isChanged) return undefined;
  return { value: Array.isArray(value) ? inner.map(([, field]) => field) : Object.fromEntries(inner) };
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
