/** A piece of HTML that is safe to print as it is. Only the tag below makes one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | undefined | readonly Part[];

/** Template tag. It escapes every value that is not HTML of this tag, joins lists, and prints nothing for undefined. */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + toText(values[index])).join(''));
}

function toText(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(toText).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Kernel logs hold control characters. No page may have them, and they would hide the text beside them. */
function escapeHtml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, (c) => (/[\t\n]/.test(c) ? c : '\ufffd'))
    .replaceAll(/[&<>"']/g, (c) => ESCAPES[c] ?? c);
}
