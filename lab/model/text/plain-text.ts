import { disarmJson } from './log-commands.ts';

/**
 * Texts of strangers, such as evidence, saved runs and what programs print, before somebody sees them. Control
 * characters move the cursor, change colours, clear the screen or write to the clipboard of a terminal. Format
 * characters turn the direction of writing. Letters that are not seen at all, such as the Hangul filler and variation
 * selectors, make two names that differ look alike. Each is shown by its number.
 *
 * The classes: https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point. An empty pattern of Braille and an empty
 * head of a note are in none of them.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029\u2800\u{1d159}]/gu;

/** The text with a number in the place of each letter that a reader cannot see: `\u001b`. Tabs and line ends stay. */
export function plainText(text: string): string {
  return text.replaceAll(UNSEEN, (letter) =>
    letter === '\t' || letter === '\n' ? letter : escapeLetter(letter),
  );
}

/** Whether a text is as it looks: no letter in it is one that a reader cannot see. */
export function isPlain(text: string): boolean {
  return plainText(text) === text;
}

/**
 * JSON that means the same, and that a terminal and the log of a CI system can show: each character that a reader
 * cannot see is there by its number, and no command of a CI system is.
 */
export function plainJson(json: string): string {
  const seen = json.replaceAll(UNSEEN, (letter) =>
    // A letter beyond 16 bits is written as two.
    letter === '\n' ? letter : letter.split('').map(escapeUnit).join(''),
  );
  return disarmJson(seen);
}

function escapeLetter(letter: string): string {
  return letter.length === 1 ? escapeUnit(letter) : `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`;
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
