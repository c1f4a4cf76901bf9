import type { Format } from './format.ts';
import { readObject } from './objects.ts';

/** What Go prints of a value that nobody told it how to: `-o go-template` of kubectl. */
const MAP = /^\s*\[?map\[(?=[\w.@/-]+:)/;
/** Nothing that anybody prints is deeper. */
const MOST_DEEP = 12;

/** Maps of Go, as `kubectl get -o go-template` prints them, one a line. */
export const goValues: Format = {
  name: 'API objects',
  classify: ([first = '']) => (MAP.test(first) && parseGo(first) !== undefined ? 0.7 : 0),
  createReader: () => ({
    line: ({ number, text }) => {
      const value = parseGo(text);
      return value === undefined ? 'unread' : (readObject(value, number)?.entries ?? []);
    },
    end: () => [],
  }),
  begins: (text) => MAP.test(text) && parseGo(text) !== undefined,
};

function parseGo(text: string): unknown {
  const begun = text.search(/\[?map\[/);
  if (begun < 0) return undefined;
  const value = parseValue({ text, at: begun }, 0);
  // The state by itself, without the name of what it is.
  return isEnd(value) ? { terminated: value } : value;
}

function isEnd(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'exitCode' in value && 'finishedAt' in value;
}

interface Cursor {
  readonly text: string;
  at: number;
}

function parseValue(cursor: Cursor, depth: number): unknown {
  if (depth > MOST_DEEP) return undefined;
  const { text } = cursor;
  if (text.startsWith('map[', cursor.at)) return parseMap(cursor, depth);
  if (text[cursor.at] === '[') return parseList(cursor, depth);
  return parseScalar(cursor);
}

/** The next key of a map: a part of a time is none. */
const KEY = /\s*([A-Za-z_][\w.@/-]*):/y;

function parseMap(cursor: Cursor, depth: number): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  cursor.at += 'map['.length;
  for (;;) {
    KEY.lastIndex = cursor.at;
    const key = KEY.exec(cursor.text);
    if (key === null) break;
    cursor.at = KEY.lastIndex;
    found[key[1] ?? ''] = parseValue(cursor, depth + 1);
  }
  if (cursor.text[cursor.at] === ']') cursor.at += 1;
  return found;
}

function parseList(cursor: Cursor, depth: number): unknown[] {
  const found: unknown[] = [];
  cursor.at += 1;
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== ']') {
    const before = cursor.at;
    found.push(parseValue(cursor, depth + 1));
    if (cursor.text[cursor.at] === ' ') cursor.at += 1;
    if (cursor.at === before) break;
  }
  cursor.at += 1;
  return found;
}

/** A text goes on up to the next key, for Go puts nothing around it. */
const SCALAR = /(?:[^\]\s]|\s(?!\s*[A-Za-z_][\w.@/-]*:))*/y;

function parseScalar(cursor: Cursor): unknown {
  SCALAR.lastIndex = cursor.at;
  const text = SCALAR.exec(cursor.text)?.[0] ?? '';
  cursor.at += text.length;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
