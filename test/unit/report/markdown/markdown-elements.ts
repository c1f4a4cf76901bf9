import { Lexer, type Token, type Tokens } from 'marked';

/** What a Markdown page consists of, as a library reads it that follows GitHub's flavour. */
export interface Elements {
  /** How many of each kind of element there are, but for plain text and code in a line. */
  readonly counts: Readonly<Record<string, number>>;
  /** Where links and images lead. */
  readonly links: readonly string[];
  /** Text outside of code and links, in which a site looks for names, issues and formulas. */
  readonly prose: string;
}

const PLAIN = new Set(['text', 'escape', 'codespan', 'space', 'strong']);
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Reads a page. */
export function readElements(markdown: string): Elements {
  const counts: Record<string, number> = {};
  const links: string[] = [];
  const prose: string[] = [];
  const visit = (token: Token): void => {
    if (!PLAIN.has(token.type)) counts[token.type] = (counts[token.type] ?? 0) + 1;
    if (token.type === 'link' || token.type === 'image') {
      links.push(String(token.href));
      return;
    }
    if (token.type === 'table') {
      const { header, rows: body } = token as Tokens.Table;
      const rows = [header, ...body];
      for (const row of rows) {
        counts[`row of ${row.length}`] = (counts[`row of ${row.length}`] ?? 0) + 1;
        for (const cell of row) {
          cell.tokens.forEach(visit);
          prose.push('\n');
        }
      }
    } else if (token.type === 'list') {
      (token.items as Token[]).forEach(visit);
    } else if ('tokens' in token && token.tokens !== undefined) {
      token.tokens.forEach(visit);
    } else if (token.type === 'text' || token.type === 'escape') {
      prose.push(String(token.text).replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity));
    } else {
      // Code is between two texts that are not beside each other.
      prose.push('\n');
    }
  };
  new Lexer({ gfm: true }).lex(markdown).forEach(visit);
  return { counts, links, prose: prose.join('') };
}

/** What a site makes of a text by itself: a link, or a message to somebody. */
export const LIVE = /\w:\/\/\w|www\.\w|@[\p{L}\p{N}_]|#\d|\bGH-\d|\$\S/giu;
