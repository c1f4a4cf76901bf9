import { largest } from '../../model/text/extremes.ts';
import { plainText } from '../../model/text/plain-text.ts';

/**
 * Texts of strangers in Markdown. Each becomes one line without markup: no heading, image or HTML, and none of the links
 * that a site makes by itself from an address, a name or the number of an issue, because these may notify somebody.
 */

/**
 * A word that a site turns into a link or a formula: an address, a mention, an issue, mathematics. It is printed as code,
 * which no site changes: https://docs.github.com/get-started/writing-on-github, https://github.github.com/gfm/#autolinks
 */
const LIVE_WORD = /:\/\/|www\.|@[\p{L}\p{N}_]|#\d|\bGH-\d|\$/iu;
/** Punctuation around such a word. */
const OPENING = '([{<"\'';
const CLOSING = ')]}>"\'.,;:!?';
/** What begins a block at the beginning of a line: a heading, a quote, a list, a line. */
const BLOCK = /^( ?)([=>]|#{1,6}(?=\s|$)|[-+](?=[\s-]|$))/;
const NUMBERED = /^( ?\d{1,9})([.)])(?=\s|$)/;

/** Makes a text safe in a table or a paragraph: one line, no markup, no link, no column of its own. */
export function escapeMarkdown(text: string): string {
  return escapeWords(text, inlineCode);
}

/** The same of a text that the project itself has checked in, such as the reason of a rule: its addresses are links. */
export function escapeOwnMarkdown(text: string): string {
  return escapeWords(text, linkOf);
}

/** @param spell how the middle of a word is printed of which a site would make a link. */
function escapeWords(text: string, spell: (word: string) => string): string {
  if (text === '-') return text;
  const words = plainText(text).split(/\s+/);
  const line = words
    .map((word) => (LIVE_WORD.test(word) ? liveWord(word, spell) : escapeLetters(word)))
    .join(' ');
  return line.replace(BLOCK, '$1\\$2').replace(NUMBERED, '$1\\$2');
}

function escapeLetters(word: string): string {
  return word
    .replaceAll(/[\\|`*_[\]~]/g, '\\$&')
    .replaceAll(/&(?=[#\w])/g, '&amp;')
    .replaceAll('<', '&lt;');
}

/** A word as code, with the punctuation around it outside. */
function liveWord(word: string, spell: (word: string) => string): string {
  let [start, end] = [0, word.length];
  while (start < end && OPENING.includes(word.charAt(start))) start += 1;
  while (end > start && CLOSING.includes(word.charAt(end - 1))) end -= 1;
  const code = spell(word.slice(start, end));
  return `${escapeLetters(word.slice(0, start))}${code}${escapeLetters(word.slice(end))}`;
}

/** Makes a text of a paragraph or list safe, but for the code that its author marked with backticks. */
export function escapeProse(text: string): string {
  return plainText(text)
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 0 ? escapeMarkdown(part) : part.replaceAll(/\s+/g, ' ')))
    .reduce((before, part) =>
      before.endsWith('`') && part.startsWith('`') ? `${before} ${part}` : before + part,
    );
}

/** One row of a table; the fields are escaped already. */
export function markdownRow(fields: readonly string[]): string {
  return `| ${fields.join(' | ')} |`;
}

/**
 * The head of a table, and the line below it; the names are escaped already.
 *
 * @param numbers indexes of the columns with numbers, which end at the right.
 */
export function markdownHead(columns: readonly string[], numbers: readonly number[] = []): string[] {
  return [columns, columns.map((_, index) => (numbers.includes(index) ? '--:' : '---'))].map(markdownRow);
}

/**
 * Returns a text as inline code, whatever backticks it has. A table needs its pipes escaped even there. After a backslash of
 * the text an escape would not work, so such a pipe is put between two pieces of code.
 */
export function inlineCode(text: string): string {
  const line = plainText(text).replaceAll(/\s+/g, ' ');
  return line
    .split(/(?<=\\)\|/)
    .map(codeSpan)
    .join('\\|');
}

function codeSpan(text: string): string {
  if (text === '') return '';
  const code = text.replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(code) + 1);
  return code.includes('`') ? `${fence} ${code} ${fence}` : `${fence}${code}${fence}`;
}

/** Lines as a code block that no line in it can end. */
export function codeBlock(lines: readonly string[]): string[] {
  const texts = lines.map((line) => plainText(line).replaceAll(/\s*\n\s*/g, ' '));
  const fence = '`'.repeat(Math.max(3, longestRun(texts.join('\n')) + 1));
  return [fence, ...texts, fence];
}

/** Addresses that need no escape. A name or a password before the host would show another host than it leads to. */
const PLAIN_LINK = /^https:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w./?#=&%~+,;:@-]*)?$/;

/** A declared link: an element where it is an https address of usual letters, else code. */
export function linkOf(place: string): string {
  return PLAIN_LINK.test(place) ? `<${place}>` : inlineCode(place);
}

function longestRun(text: string): number {
  return largest(
    [...text.matchAll(/`+/g)].map(([run]) => run.length),
    0,
  );
}
