import { largest } from '../../model/text/extremes.ts';
/** Longest line that is printed; a few hundred letters are the longest that anybody reads. */
const MAX_LINE = 4000;

/**
 * Joins the lines of a page. A value in a line may come from evidence, or from a run of somebody else. It cannot begin
 * another line, which would look like a part of the page, and it is cut at a limit.
 */
export function joinLines(lines: readonly string[]): string {
  return lines.map(toLine).join('\n');
}

function toLine(text: string): string {
  const line = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
  return line.replaceAll(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, ' ');
}

/** Longest text of a column: the others are padded to the longest one. */
const MAX_CELL = 400;

/** Rows whose texts are one line each, none longer than a column may be. */
function cutCells(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) =>
    row.map((cell) => toLine(cell.length > MAX_CELL ? `${cell.slice(0, MAX_CELL)}…` : cell)),
  );
}

/** How a table is laid out. */
interface TableLayout {
  /** What is printed before each row. */
  readonly indent?: string;
}

/** The layout of a table below a title. */
export const INDENTED: TableLayout = { indent: '  ' };

/** Rows as lines with aligned columns, the last as long as its text. */
export function textTable(
  given: readonly (readonly string[])[],
  { indent = '' }: TableLayout = {},
): string[] {
  const rows = cutCells(given);
  const columns = largest(
    rows.map((row) => row.length),
    0,
  );
  const widths = Array.from({ length: columns }, (_, column) =>
    largest(rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    `${indent}${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** Breaks a text at blanks into lines of at most `width` characters; a longer word has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * Breaks the lines of an error that are wider than a terminal, and indents their continuation. The line with the next
 * command stays whole, because people copy it.
 */
export function wrapError(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? '';
      if (line.length <= width || line.startsWith('  try: ')) return [line];
      return wrapLine(line, width, indent.length, indent.length + 4);
    })
    .join('\n');
}

/** Least room for a text, on however narrow a terminal. */
const MIN_TEXT = 20;

/**
 * Breaks a line at blanks for a terminal.
 *
 * @param head how many columns at the beginning are kept unchanged.
 * @param hang how far the continued lines are indented.
 */
export function wrapLine(line: string, width: number, head: number, hang = head): string[] {
  const [first = '', ...rest] = wrapText(line.slice(head).trim(), Math.max(MIN_TEXT, width - hang));
  return [`${line.slice(0, head)}${first}`, ...rest.map((part) => `${' '.repeat(hang)}${part}`)];
}
