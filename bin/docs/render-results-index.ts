import { groupBy } from '../../lab/model/text/group-by.ts';
import { compareText } from '../../lab/model/text/compare-text.ts';
import { escapeMarkdown, inlineCode, markdownHead, markdownRow } from '../../lab/report/text/markdown.ts';
import {
  CHOICES,
  countKillers,
  countVerdicts,
  describeVersions,
  listVariants,
  nameScenario,
} from './results-page-cells.ts';
import { joinResultRows, type ResultRow } from './result-row.ts';

/**
 * Renders a summary of what was found, in Markdown: how the cells of each scenario and of each variant ended. A name leads
 * to these cells on the page for a browser.
 */
export function renderResultsIndex(rows: readonly ResultRow[]): string {
  const cells = joinResultRows(rows);
  if (cells.length === 0) return 'Made from no run yet.';
  const scenarios = [...groupBy(cells, ({ address }) => nameScenario(address))];
  const variants = listVariants(cells);
  const killers = new Set(
    cells.map((row) => CHOICES.killer?.(row)).filter((killer) => killer !== '' && killer !== 'none'),
  );
  return [
    `**${cells.length} cells of ${scenarios.length} scenarios on ${variants.length} variants: ${countVerdicts(cells)}.** They name ${killers.size} killers.`,
    '',
    '### By scenario',
    '',
    ...markdownHead(['scenario', 'cells', 'killers']),
    ...scenarios
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([name, own]) =>
        markdownRow([linkTo('scenario', name), countVerdicts(own), escapeMarkdown(countKillers(own)) || '-']),
      ),
    '',
    '### By variant',
    '',
    ...markdownHead(['variant', 'cells', 'what its nodes printed']),
    ...variants.map(({ name, rows: own }) => {
      const versions = [...new Set(own.map(describeVersions))].filter((text) => text !== '');
      return markdownRow([
        linkTo('variant', name),
        countVerdicts(own),
        escapeMarkdown(versions.join('; ')) || '-',
      ]);
    }),
  ].join('\n');
}

/** The cells of which this is chosen, on the page for a browser. */
function linkTo(menu: string, value: string): string {
  return `[${inlineCode(value)}](results.html#${new URLSearchParams([[menu, value]]).toString()})`;
}
