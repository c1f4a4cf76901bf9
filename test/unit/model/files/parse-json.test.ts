import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH, parseJson, tryParseJson } from '../../../../lab/model/files/parse-json.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('JSON of a stranger', () => {
  it('is parsed up to a depth, and no deeper', () => {
    expect(tryParseJson(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(tryParseJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined();
    expect(() => parseJson('{"a":'.repeat(100_000))).toThrow(`more than ${MAX_JSON_DEPTH} levels`);
  });

  it.each([
    ['brackets in a text', JSON.stringify('['.repeat(1000))],
    ['a quote in a text', JSON.stringify(`"${'{'.repeat(1000)}`)],
    ['a backslash at the end of a text', JSON.stringify(['\\', '['.repeat(1000)])],
    ['many lists, one behind the other', `[${'[],'.repeat(1000)}[]]`],
  ])('is not deep for %s', (_, text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});
