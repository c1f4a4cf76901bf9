/** Colours of a terminal, and what moves its cursor. */
// eslint-disable-next-line no-control-regex -- terminals write these bytes
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Spaces that web pages and word processors put in the place of plain ones. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
/** What nobody sees: marks of the order of bytes, of direction, and where a word may break. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g;
// eslint-disable-next-line no-control-regex -- the same bytes
const DIRTY = /[\u001b\u00a0\u00ad\u2000-\u206f\u3000\ufeff]/;
const DOUBLE = /[\u201c-\u201f]/g;
const SINGLE = /[\u2018-\u201b]/g;

/**
 * A line as its program wrote it, without what terminals, web pages and word processors change in it. Curly quotes are
 * put back only where none of the plain ones is left: else they are of the text.
 */
export function cleanLine(text: string): string {
  if (!DIRTY.test(text)) return text;
  const plain = text.replaceAll(ESCAPES, '').replaceAll(UNSEEN, '').replaceAll(SPACES, ' ').replace(/\r$/, '');
  return plain.includes('"') ? plain : plain.replaceAll(DOUBLE, '"').replaceAll(SINGLE, "'");
}
