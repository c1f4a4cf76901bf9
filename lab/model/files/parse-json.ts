/**
 * Nothing that the lab or Kubernetes writes is nested so deep. Deeper values would end in a stack overflow somewhere.
 */
export const MAX_JSON_DEPTH = 200;

/**
 * Parses JSON of bounded depth.
 *
 * @throws SyntaxError when it is none, or nested deeper than `MAX_JSON_DEPTH`.
 */
export function parseJson(text: string): unknown {
  if (isDeep(text)) throw new SyntaxError(`more than ${MAX_JSON_DEPTH} levels`);
  return JSON.parse(text) as unknown;
}

/** Parses JSON like `parseJson` that may be cut short or none at all; undefined then. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object: not a list, and not null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((letter) =>
  letter.charCodeAt(0),
);

function isDeep(text: string): boolean {
  return opensMany(text) && nestsDeep(text);
}

/**
 * Whether a text has enough brackets and braces to be deep. It is asked of every line of evidence, and nearly none has.
 */
function opensMany(text: string): boolean {
  let count = 0;
  for (const letter of ['[', '{'])
    for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) {
      count += 1;
      if (count > MAX_JSON_DEPTH) return true;
    }
  return false;
}

function nestsDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInText = !isInText;
    else if (code === BACKSLASH) index += 1;
    else if (isInText) continue;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}
