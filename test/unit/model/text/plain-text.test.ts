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
  ['a zero-width space', '\u200b'],
  ['a Hangul filler', '\u3164'],
  ['an empty pattern of Braille', '\u2800'],
  ['an empty head of a note', '\u{1d159}'],
  ['what is not a character', '\ufdd0'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a Hangul initial filler', '\u115f'],
  ['a Hangul medial filler', '\u1160'],
  ['a grapheme joiner', '\u034f'],
  ['a variation selector', '\ufe0f'],
  ['a variation selector of the supplement', '\u{e0100}'],
  ['a Khmer inherent vowel', '\u17b4'],
  ['a Mongolian variation selector', '\u180b'],
];

/** Every letter of Unicode that a reader does not see. */
function* listIgnorable(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    if (/\p{Default_Ignorable_Code_Point}/u.test(letter)) yield letter;
  }
}

describe('a text of a stranger', () => {
  it.each(UNSEEN)('shows %s by its number', (_, text) => {
    expect(plainText(`a${text}b`)).toMatch(/^a\\u(?:[0-9a-f]{4}|\{[0-9a-f]{5,6}\})/);
    // eslint-disable-next-line no-control-regex
    expect(plainText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u2028-\u202e\u2066\ud800]/);
  });

  it('shows every letter that Unicode lets a program ignore, as text and as JSON', () => {
    const letters = [...listIgnorable()];
    expect(letters.length).toBeGreaterThan(4000);
    const text = letters.join('');
    expect(plainText(text)).toMatch(/^[\x20-\x7e]+$/);
    const json = plainJson(JSON.stringify(text));
    expect(json).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(json)).toBe(text);
  });

  it('is the number that a reader can look up', () => {
    expect(plainText('a\u3164b\u{e0100}c\u001b[2J')).toBe('a\\u3164b\\u{e0100}c\\u001b[2J');
  });

  it('keeps lines, tabs and letters of any language', () => {
    const text = 'one\ttwo\nдва 三 é 🙂 #1';
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
