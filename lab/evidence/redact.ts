import { redactJsonLine, redactStructured } from './redact-structured.ts';
import { endOfRun, REDACTED, redactPatterns, replaceFound, type OnRedacted } from './secret-patterns.ts';

/**
 * Takes secrets out of saved files before somebody sends them away: private keys, tokens, values that are named like a
 * secret, what is in Secrets, and the environment and arguments of containers. Lines stay lines, so that a proof names the
 * same line as before. What no rule knows stays.
 */

const ignore: OnRedacted = () => undefined;

/** A run of letters of one kind: where it begins, what is not part of it, and what may end it. */
interface Run {
  readonly begin: RegExp;
  readonly outside: RegExp;
  readonly tail: RegExp;
}

/** Words and dots, as many as the shortest JSON Web Token has, such as that of a service account. */
const DOTTED: Run = { begin: /(?<![\w.-])(?=[\w.-]{20})/g, outside: /[^\w.-]/g, tail: /(?:)/y };
const TOKEN_BEGINS = /\beyJ(?=[\w-]{5})/;

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY-----/g;
/** A line of a PEM block that is not its base64. */
const PEM_HEADER = /^\s{0,64}(?:[A-Za-z-]{1,64}: |$)/;
const PEM_LETTER = /[A-Za-z0-9+/]/;
/** A line of a PEM block is at least so long, but for the last one. */
const PEM_LEAST = 40;

/** As much base64 as can hold a bootstrap token. */
const BASE64: Run = {
  begin: /(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]{30})/g,
  outside: /[^A-Za-z0-9+/_-]/g,
  tail: /={0,2}/y,
};
/** Base64 inside of base64 inside of base64 is looked into, and no further. */
const MAX_DEPTH = 3;
const UNPRINTABLE = /[^\t\n\r -~]/;

/**
 * Redacts the lines of one file, in their order. It remembers whether it is inside of a private key.
 *
 * @param onRedacted is called with the name of the rule, once for each value; once for each line of a private key that
 * has its beginning.
 */
export function createLineRedactor(onRedacted: OnRedacted = ignore): (line: string) => string {
  let isInKey = false;
  return (line) => {
    let rest = line;
    if (isInKey) {
      PEM_END.lastIndex = 0;
      const end = PEM_END.exec(line)?.index;
      if (end === undefined) {
        const body = bodyOfKey(line);
        if (body !== undefined) return line.slice(0, body) + REDACTED;
        if (PEM_HEADER.test(line)) return line;
      }
      // Without its end the key was cut off.
      if (end !== undefined) rest = REDACTED + line.slice(end);
    }
    const { text, isOpen } = redactKeys(rest, onRedacted);
    isInKey = isOpen;
    return redactLine(text, onRedacted);
  };
}

/** Where the base64 of a line inside of a private key begins, behind what a log writes before it; undefined: it has none. */
function bodyOfKey(line: string): number | undefined {
  const text = line.trimEnd();
  let from = text.endsWith(String.raw`\n`) ? text.length - 2 : text.length;
  for (let signs = 0; signs < 2 && text[from - 1] === '='; signs += 1) from -= 1;
  const to = from;
  while (from > 0 && PEM_LETTER.test(text.charAt(from - 1))) from -= 1;
  if (from === to) return undefined;
  if (line.slice(0, from).trim() === '') return 0;
  return to - from >= PEM_LEAST ? from : undefined;
}

/**
 * Redacts the private keys of one line. The last of them may go on in the next one. Each end is looked for once: a line
 * of beginnings without an end costs no more than its length.
 */
function redactKeys(
  line: string,
  onRedacted: OnRedacted,
): { readonly text: string; readonly isOpen: boolean } {
  let text = '';
  let from = 0;
  for (;;) {
    PEM_BEGIN.lastIndex = from;
    const begin = PEM_BEGIN.exec(line);
    if (begin === null) return { text: text + line.slice(from), isOpen: false };
    const body = begin.index + begin[0].length;
    text += line.slice(from, body) + REDACTED;
    onRedacted('private-key');
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
 * @param name of its file: JSON and YAML that hold a Secret or a container over several lines are read as such.
 */
export function redactText(text: string, name: string, onRedacted: OnRedacted = ignore): string {
  const structured = redactStructured(text, name, onRedacted);
  const redact = createLineRedactor(onRedacted);
  return (structured ?? text).split('\n').map(redact).join('\n');
}

function redactLine(line: string, onRedacted: OnRedacted, depth = 0): string {
  const whole = depth === 0 ? redactJsonLine(line, onRedacted) : line;
  const text = replaceRuns(redactPatterns(whole, onRedacted), DOTTED, (dotted) =>
    redactTokens(dotted, onRedacted),
  );
  if (depth === MAX_DEPTH) return text;
  return replaceRuns(text, BASE64, (found) => {
    if (!hidesSecret(found, depth)) return found;
    onRedacted('secret-in-base64');
    return REDACTED;
  });
}

/** Replaces each run of a text. */
function replaceRuns(text: string, { begin, outside, tail }: Run, replace: (run: string) => string): string {
  return replaceFound(text, begin, ({ index: start }) => {
    tail.lastIndex = endOfRun(text, start, outside);
    tail.test(text);
    const end = tail.lastIndex;
    return { start, end, by: replace(text.slice(start, end)) };
  });
}

/** Three words with dots between; the first is the beginning of a JSON object in base64. */
function redactTokens(dotted: string, onRedacted: OnRedacted): string {
  if (!dotted.includes('eyJ')) return dotted;
  const words = dotted.split('.');
  const isLong = (word: string | undefined): boolean => word !== undefined && word.length >= 5;
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const found = isLong(words[at + 1]) && isLong(words[at + 2]) ? TOKEN_BEGINS.exec(word) : null;
    kept.push(found === null ? word : word.slice(0, found.index) + REDACTED);
    if (found === null) continue;
    onRedacted('json-web-token');
    at += 2;
  }
  return kept.join('.');
}

function hidesSecret(base64: string, depth: number): boolean {
  const decoded = Buffer.from(base64, 'base64').toString('latin1');
  if (UNPRINTABLE.test(decoded)) return false;
  return /PRIVATE KEY-----/.test(decoded) || redactLine(decoded, ignore, depth + 1) !== decoded;
}
