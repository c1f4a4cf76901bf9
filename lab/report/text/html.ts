import { disarmMarkup } from '../../model/text/log-commands.ts';
import { plainJson, plainText } from '../../model/text/plain-text.ts';

/** A piece of HTML that is safe to print as it is. Only the tag below makes one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | undefined | readonly Part[];

/** Data for the script of the page, as an element that no browser runs. */
export function jsonElement(id: string, value: unknown): Html {
  const json = plainJson(JSON.stringify(value)).replaceAll('<', '\\u003c');
  return rawElement(`script type="application/json" id="${id}"`, json);
}

/** An element with a text that is HTML, style or script already, unchanged to the letter. */
export function rawElement(tag: string, text: string): Html {
  return new Html(`<${tag}>${text}</${tag.split(' ', 1)[0] ?? ''}>`);
}

/** Template tag. It escapes every value that is not HTML of this tag, joins lists, and prints nothing for undefined. */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    withoutIndent(texts).reduce((page, text, index) => page + text + toText(values[index]), ''),
  );
}

const UNINDENTED = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The indentation of our templates means nothing in the page, and would be a quarter of it. */
function withoutIndent(texts: TemplateStringsArray): readonly string[] {
  const known = UNINDENTED.get(texts);
  if (known !== undefined) return known;
  const lines = texts.map((text) => text.replaceAll(/\n\s*/g, '\n'));
  UNINDENTED.set(texts, lines);
  return lines;
}

function toText(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(toText).join('');
}

/** Escapes a text that is between tags, never in one: its quotes stay, which are a fifth of a line of JSON. */
export function elementText(text: string): Html {
  return new Html(disarmMarkup(readable(text).replaceAll(/[&<>]/g, (c) => ESCAPES[c] ?? c)));
}

/** Nearly every text is printable ASCII, which is plain: a large report has millions of them. */
function readable(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : plainText(text);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Printable letters that nothing escapes, and that no command of a CI system is made of. */
const HARMLESS = /^[ !$%(-9;=?-^`-~]*$/;

function escapeHtml(text: string): string {
  if (HARMLESS.test(text)) return text;
  return disarmMarkup(readable(text).replaceAll(/[&<>"']/g, (c) => ESCAPES[c] ?? c));
}
