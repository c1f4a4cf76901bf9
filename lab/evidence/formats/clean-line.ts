/** Colours of a terminal, and what moves its cursor. */
// eslint-disable-next-line no-control-regex -- terminals write these bytes
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Spaces that web pages and word processors put in the place of plain ones. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
/**
 * What nobody sees: marks of the order of bytes, of direction, and where a word may break; and what parts the records of
 * `journalctl -o json-seq` (RFC 7464).
 */
// eslint-disable-next-line no-control-regex -- the same bytes
const UNSEEN = /[\u001e\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g;
const DIRTY =
  // eslint-disable-next-line no-control-regex -- the same bytes
  /[\u001b\u001e\u00a0\u00ad\u2000-\u206f\u3000\ufeff]|&(?:[lg]t|amp|quot|apos|nbsp|#x?[\da-f]+);/i;
/** How web pages write signs that they use themselves. */
const ENTITY = /&(lt|gt|amp|nbsp|quot|apos|#\d{1,6}|#x[0-9a-f]{1,5});/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
  quot: '"',
  apos: "'",
};
const DOUBLE = /[\u201c-\u201f]/g;
const SINGLE = /[\u2018-\u201b]/g;

/**
 * A line as its program wrote it, without what terminals, web pages and word processors change in it. Curly quotes are
 * put back only where none of the plain ones is left: else they are of the text.
 */
export function cleanLine(text: string): string {
  if (!DIRTY.test(text)) return text;
  const plain = withoutEntities(text)
    .replaceAll(ESCAPES, '')
    .replaceAll(UNSEEN, '')
    .replaceAll(SPACES, ' ')
    .replace(/\r$/, '');
  return plain.includes('"') ? plain : plain.replaceAll(DOUBLE, '"').replaceAll(SINGLE, "'");
}

/** Of a page that was copied as its source: where plain quotes are left, an entity is of the text. */
function withoutEntities(text: string): string {
  if (text.includes('"')) return text;
  return text.replaceAll(ENTITY, (whole, name: string) => {
    const code = name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : Number.NaN;
    if (Number.isNaN(code)) return ENTITIES[name.toLowerCase()] ?? whole;
    return code >= 32 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
