import { KILLERS } from '../../lab/model/killers/killers.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import { joinResultRows, type ResultRow } from './result-row.ts';
import type { Staging, StagingOutcome } from './staging.ts';

interface StagedCell extends Staging {
  readonly row: ResultRow;
}

/**
 * Renders what recorded cells staged next to what the judge named, as Markdown: the confusion matrix (only its cells that
 * are not empty), and every cell that is wrong or open. Each cell counts by its latest row.
 */
export function renderConfusion(rows: readonly ResultRow[]): string {
  const cells = joinResultRows(rows);
  const staged = cells.flatMap((row) => (row.staged === undefined ? [] : [{ ...row.staged, row }]));
  return [
    ...renderSource(staged, cells.filter(({ verdict }) => verdict === 'skipped').length),
    '',
    ...renderMatrix(staged),
    ...renderOpen(staged),
  ].join('\n');
}

function renderSource(staged: readonly StagedCell[], skipped: number): string[] {
  if (staged.length === 0) return ['Made from no run yet.'];
  const count = (outcome: StagingOutcome): number => countOf(staged, outcome);
  const days = staged.map(({ row }) => row.date).sort();
  return [
    `**${countOf(staged)} staged in ${staged.length} cells, ${count('right')} named right, ${count('wrong')} wrong, ` +
      `${count('open')} without a verdict; ${skipped} cells skipped.** Each cell by its latest recorded run ` +
      `([results](results.md)), of ${days[0]} to ${days.at(-1)}.`,
  ];
}

function renderMatrix(staged: readonly StagedCell[]): string[] {
  const rank = ({ killer, cause }: StagedCell): string =>
    `${String(KILLERS.indexOf(killer)).padStart(3, '0')} ${cause}`;
  const groups = groupBy(
    staged.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)),
    ({ cause }) => cause,
  );
  return [
    ...markdownHead(['staged', 'named on cgroup v2', 'named on cgroup v1', 'right'], [3]),
    ...[...groups].map(([cause, group]) =>
      markdownRow([
        inlineCode(cause),
        renderNamed(group.filter(({ cgroup }) => cgroup === 'v2')),
        renderNamed(group.filter(({ cgroup }) => cgroup === 'v1')),
        `${countOf(group, 'right')} of ${countOf(group)}`,
      ]),
    ),
  ];
}

/** `12 × memcg-oom`: what was named, and how often. Other causes than the staged one are bold. */
function renderNamed(staged: readonly StagedCell[]): string {
  const named = staged.flatMap((cell) => cell.named);
  const groups = groupBy(named, ({ as, outcome }) => `${outcome === 'right' ? '' : '**'}${as}`);
  const parts = [...groups].map(([key, group]) => {
    const text = `${group.length} × ${inlineCode(key.replace(/^\*\*/, ''))}`;
    return key.startsWith('**') ? `**${text}**` : text;
  });
  return parts.length === 0 ? '-' : parts.join('<br>');
}

/** Cells that were not named right, and cells that were and still failed. */
function renderOpen(staged: readonly StagedCell[]): string[] {
  const open = staged.filter(({ why }) => why !== undefined);
  if (open.length === 0) return staged.length === 0 ? [] : ['', 'Every staged cause was named right.'];
  return [
    '',
    'Not named right, or failed for another reason:',
    '',
    ...markdownHead(['cell', 'staged', 'named', 'verdict', 'why']),
    ...open.map(({ row, cause, named, why = '' }) =>
      markdownRow([
        inlineCode(row.address),
        inlineCode(cause),
        [...new Set(named.map(({ as }) => inlineCode(as)))].join('<br>'),
        row.verdict,
        escapeMarkdown(why),
      ]),
    ),
  ];
}

/** How many ends were named with this outcome; all of them without one. */
function countOf(staged: readonly StagedCell[], wanted?: StagingOutcome): number {
  return staged.flatMap(({ named }) =>
    named.filter(({ outcome }) => wanted === undefined || outcome === wanted),
  ).length;
}
