/**
 * Texts of strangers, such as evidence, saved runs and what programs print, before somebody sees them. Control
 * characters move the cursor, change colours, clear the screen or write to the clipboard of a terminal. Format
 * characters turn the direction of writing, or are not seen at all: the text next to them would read as something else.
 */

/** The zero-width space (U+200B) stays: it only allows a line to break, and keeps Markdown from mentioning somebody. */
const UNSEEN = /(?!\u200b)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
/** What is written in the place of one. */
const REPLACEMENT = '\ufffd';

/** The text with a replacement character for each that a reader cannot see; tabs and line ends stay. */
export function plainText(text: string): string {
  return text.replaceAll(UNSEEN, (letter) => (letter === '\t' || letter === '\n' ? letter : REPLACEMENT));
}

/** JSON that means the same and that a terminal can show: each character that a reader cannot see by its number. */
export function plainJson(json: string): string {
  return json.replaceAll(UNSEEN, (letter) =>
    // A letter beyond 16 bits is written as two.
    letter === '\n' ? letter : letter.split('').map(escapeUnit).join(''),
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
