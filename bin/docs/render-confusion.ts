import { valueOf } from '../../lab/model/axes/axes.ts';
import { KILLERS } from '../../lab/model/killers/killers.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import { listRuns, pickLatestCells, type RecordedRun } from '../../lab/report/words/recorded-run.ts';
import { listStagings, type Staging } from './staging.ts';

/**
 * Renders what runs staged next to what the judge named, as Markdown: the confusion matrix (only its cells that are
 * not empty), and every cell that is wrong or open.
 */
export function renderConfusion(runs: readonly RecordedRun[]): string {
  const cells = pickLatestCells(runs);
  const stagings = listStagings(cells);
  const skipped = cells.length - new Set(stagings.map(({ cell }) => cell)).size;
  return [
    ...renderSource(runs, stagings, skipped),
    '',
    ...renderMatrix(stagings),
    ...renderOpen(stagings),
  ].join('\n');
}

function renderSource(runs: readonly RecordedRun[], stagings: readonly Staging[], skipped: number): string[] {
  if (runs.length === 0) return ['Made from no run yet.'];
  const count = (outcome: Staging['outcome']): number => countOf(stagings, outcome);
  return [
    `**${stagings.length} staged, ${count('right')} named right, ${count('wrong')} wrong, ${count('open')} without a ` +
      `verdict; ${skipped} skipped.** Made from:`,
    '',
    ...listRuns(runs),
  ];
}

function renderMatrix(stagings: readonly Staging[]): string[] {
  const rank = ({ killer, staged }: Staging): string =>
    `${String(KILLERS.indexOf(killer)).padStart(3, '0')} ${staged}`;
  const rows = groupBy(
    stagings.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)),
    ({ staged }) => staged,
  );
  return [
    ...markdownHead(['staged', 'named on cgroup v2', 'named on cgroup v1', 'right'], [3]),
    ...[...rows].map(([staged, row]) =>
      markdownRow([
        inlineCode(staged),
        renderNamed(row.filter(({ cell }) => valueOf(cell.variant, 'cgroup') === 'v2')),
        renderNamed(row.filter(({ cell }) => valueOf(cell.variant, 'cgroup') === 'v1')),
        `${countOf(row, 'right')} of ${row.length}`,
      ]),
    ),
  ];
}

/** `12 × memcg-oom`: what was named, and how often. Other causes than the staged one are bold. */
function renderNamed(stagings: readonly Staging[]): string {
  const groups = groupBy(stagings, ({ named, outcome }) => `${outcome === 'right' ? '' : '**'}${named}`);
  const parts = [...groups].map(([key, group]) => {
    const text = `${group.length} × ${inlineCode(key.replace(/^\*\*/, ''))}`;
    return key.startsWith('**') ? `**${text}**` : text;
  });
  return parts.length === 0 ? '-' : parts.join('<br>');
}

/** Cells that were not named right, and cells that were and still failed. */
function renderOpen(stagings: readonly Staging[]): string[] {
  const open = stagings.filter(({ outcome, cell }) => outcome !== 'right' || cell.verdict === 'failed');
  if (open.length === 0) return stagings.length === 0 ? [] : ['', 'Every staged cause was named right.'];
  return [
    '',
    'Not named right, or failed for another reason:',
    '',
    ...markdownHead(['cell', 'staged', 'named', 'verdict', 'why']),
    ...open.map(({ cell, staged, named }) =>
      markdownRow([
        inlineCode(cell.address),
        inlineCode(staged),
        inlineCode(named),
        cell.verdict,
        escapeMarkdown(whyOf(cell)),
      ]),
    ),
  ];
}

function whyOf({ note, mismatches }: Staging['cell']): string {
  const differences = mismatches.map(
    ({ field, expected, observed }) => `${field}: expected ${expected}, observed ${observed}`,
  );
  return [...(note === undefined ? [] : [note]), ...differences].join('; ') || '-';
}

function countOf(stagings: readonly Staging[], outcome: Staging['outcome']): number {
  return stagings.filter((staging) => staging.outcome === outcome).length;
}
