import { scenarioPart } from '../../lab/model/host/cell-address.ts';
import { groupBy } from '../../lab/model/text/group-by.ts';
import { html } from '../../lab/report/text/html.ts';
import {
  escapeMarkdown,
  escapeOwnMarkdown,
  inlineCode,
  markdownHead,
  markdownRow,
} from '../../lab/report/text/markdown.ts';
import { worldOf } from '../../lab/report/words/recorded-run.ts';
import { countVerdicts, describeVersions } from './results-page-cells.ts';
import { joinResultRows, type ResultRow } from './result-row.ts';

const COLUMNS = ['scenario', 'verdict', 'killer', 'world up', 'cell', 'run'];

/**
 * Renders what a run found of every cell, in Markdown: what can be opened for each variant, with the versions that its nodes
 * print, then the time until the world was ready and the time of the cell.
 */
export function renderResults(rows: readonly ResultRow[]): string {
  const byWorld = groupBy(joinResultRows(rows), worldOf);
  if (byWorld.size === 0) return 'Made from no run yet.';
  return [...byWorld]
    .flatMap(([world, own]) => [
      '<details>',
      `<summary>${describeWorld(world, own)}</summary>`,
      '',
      ...renderWorld(own),
      '',
      '</details>',
      '',
    ])
    .join('\n')
    .trimEnd();
}

/** The variant, and how many of its cells came to which verdict. */
function describeWorld(world: string, rows: readonly ResultRow[]): string {
  return html`<code>${world}</code>: ${countVerdicts(rows)}`.text;
}

function renderWorld(rows: readonly ResultRow[]): string[] {
  const versions = new Set(rows.map(describeVersions).filter((text) => text !== ''));
  const healed = new Set(rows.flatMap(({ healed: text }) => (text === undefined ? [] : [text])));
  const notes = [...versions, ...[...healed].map((text) => `Made good by the kubelet itself: ${text}`)];
  return [
    ...notes.flatMap((note) => [escapeMarkdown(note), '']),
    ...markdownHead(COLUMNS),
    ...rows.map(renderRow),
  ];
}

function renderRow(row: ResultRow): string {
  const { address, verdict, killer, how, rate, world, cell, run, date } = row;
  const who = verdict === 'skipped' ? escapeOwnMarkdown(killer) : inlineCode(killer);
  return markdownRow([
    inlineCode(scenarioPart(address)),
    rate === undefined ? verdict : `${verdict}: ${escapeMarkdown(rate)}`,
    how === undefined ? who : `${who} (${how})`,
    ...[world, cell].map((text) => escapeMarkdown(text ?? '-')),
    run === undefined ? date : inlineCode(run),
  ]);
}
