import { largest } from '../../model/text/extremes.ts';
/** Makes a text safe inside a Markdown table or paragraph: one line, no markup, no column of its own. */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replaceAll('\\', '\\\\')
      .replaceAll(/[|`*_[\]]/g, '\\$&')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('<', '&lt;')
      // A bare number sign or at sign would link another issue, or notify somebody.
      .replaceAll(/([#@])(?=\w)/g, '$1\u200b')
  );
}

/** Makes a text of a paragraph or list safe, but for the code that its author marked with backticks. */
export function escapeProse(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 0 ? escapeMarkdown(part) : part.replaceAll(/\s+/g, ' ')))
    .join('');
}

/** One row of a table; the fields are escaped already. */
export function markdownRow(fields: readonly string[]): string {
  return `| ${fields.join(' | ')} |`;
}

/** A text as inline code, whatever quotes it holds; a table wants its pipes escaped even there. */
export function inlineCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(line) + 1);
  return line.includes('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Lines as a code block that no line in it can end. */
export function codeBlock(lines: readonly string[]): string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1));
  return [fence, ...lines.map((line) => line.replaceAll(/\s*[\r\n]+\s*/g, ' ')), fence];
}

function longestRun(text: string): number {
  return largest(
    [...text.matchAll(/`+/g)].map(([run]) => run.length),
    0,
  );
}
