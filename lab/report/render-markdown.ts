import type { RunResult } from '../model/formats.ts';
import { formatDuration } from './format-duration.ts';
import { describeKiller, renderTotals } from './render-summary.ts';

/** Renders a run as a Markdown table, ready to paste into an issue. */
export function renderMarkdown(result: RunResult): string {
  const rows = result.cells.map((cell) => {
    const expected = typeof cell.expected.killer === 'string' ? cell.expected.killer : '';
    const fields = [
      cell.verdict,
      `\`${cell.address}\``,
      expected,
      describeKiller(cell),
      formatDuration(cell.timings.totalMs),
      cell.note ?? cell.attribution.because[0]?.text ?? '',
    ];
    return `| ${fields.map(escapeField).join(' | ')} |`;
  });
  return [
    `### whodunit ${result.run}: ${renderTotals(result)}`,
    '',
    '| verdict | cell | expected | killer | time | because |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function escapeField(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
}
