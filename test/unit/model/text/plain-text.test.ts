import { describe, expect, it } from 'vitest';
import { plainJson, plainText } from '../../../../lab/model/text/plain-text.ts';

/** What a terminal obeys, or a reader cannot see. */
const UNSEEN: readonly (readonly [string, string])[] = [
  ['an escape sequence', '\u001b[2J'],
  ['its form of one letter', '\u009b2J'],
  ['a title and a write to the clipboard', '\u001b]52;c;ZXZpbA==\u0007'],
  ['a return to the beginning of the line', '\r'],
  ['a step back', '\b'],
  ['a right-to-left override', '\u202e'],
  ['an isolate', '\u2066'],
  ['an Arabic letter mark', '\u061c'],
  ['a zero-width joiner', '\u200d'],
  ['a soft hyphen', '\u00ad'],
  ['a byte order mark', '\ufeff'],
  ['a tag', '\u{e0041}'],
  ['half a letter', '\ud800'],
  ['a line separator', '\u2028'],
];

describe('a text of a stranger', () => {
  it.each(UNSEEN)('shows %s as a replacement character', (_, text) => {
    expect(plainText(`a${text}b`)).toMatch(/^a\ufffd/);
    // eslint-disable-next-line no-control-regex
    expect(plainText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u2028-\u202e\u2066\ud800]/);
  });

  it('keeps lines, tabs, letters of any language and places to break a word', () => {
    const text = 'one\ttwo\nдва 三 é 🙂 #\u200b1';
    expect(plainText(text)).toBe(text);
  });
});

describe('JSON of a stranger', () => {
  it.each(UNSEEN)('means the same, and has %s by its number', (_, text) => {
    const value = { [text]: [`a${text}b`] };
    const json = plainJson(JSON.stringify(value, null, 2));
    expect(plainText(json)).toBe(json);
    expect(JSON.parse(json)).toEqual(value);
  });
});
