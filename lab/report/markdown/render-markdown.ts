import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { codeBlock, escapeMarkdown, inlineCode, markdownRow } from '../text/markdown.ts';
import { mismatchSides, proofLines } from '../words/proof-lines.ts';
import { renderTotals } from '../terminal/render-summary.ts';
import { describeKiller } from '../words/describe-verdict.ts';

/** Renders a run as Markdown, ready to paste into an issue: a table, and below it the proof of what did not pass. */
export function renderMarkdown(result: RunResult): string {
  const rows = result.cells.map((cell) =>
    markdownRow([
      cell.verdict,
      inlineCode(cell.address),
      escapeMarkdown(describeOutcome(cell.expected, cell.measures)),
      escapeMarkdown(describeKiller(cell)),
      formatDuration(cell.timings.totalMs),
      escapeMarkdown(becauseOf(cell)),
    ]),
  );
  const open = result.cells.filter((cell) => cell.verdict !== 'passed' && cell.verdict !== 'skipped');
  return [
    `### whodunit ${result.run}: ${renderTotals(result)}`,
    '',
    '| verdict | cell | expected | killer | time | because |',
    '|---|---|---|---|---|---|',
    ...rows,
    ...open.flatMap(renderOpenCell),
  ].join('\n');
}

/** The note of a cell, else its first proof; before it the known bug that it shows. */
function becauseOf(cell: CellResult): string {
  const bug = describeKnownBug(cell);
  const because = cell.note ?? cell.attribution.because[0]?.text ?? '';
  return bug === undefined ? because : [`bug ${bug}`, because].filter((part) => part !== '').join('; ');
}

function renderOpenCell(cell: CellResult): string[] {
  const proof = proofLines(cell);
  return [
    '',
    `**${inlineCode(cell.address)} ${cell.verdict}**${cell.note === undefined ? '' : `: ${escapeMarkdown(cell.note)}`}`,
    '',
    ...cell.mismatches
      .map(mismatchSides)
      .flatMap(({ expected, observed }) => [
        `- expected ${escapeMarkdown(expected)}`,
        `- observed ${escapeMarkdown(observed)}`,
      ]),
    ...(proof.length === 0 ? [] : ['', ...codeBlock(proof)]),
  ];
}
