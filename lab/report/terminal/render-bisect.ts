import type { BisectResult, DifferenceResult } from '../../model/saved/search.ts';
import { shellWord } from '../../model/text/shell.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';
import { describeColours, describeLine } from '../words/describe-line.ts';
import { describeDifferences } from '../words/describe-differences.ts';

/** What a search of versions came to, and where its page for a browser is. */
export function renderBisect(result: BisectResult, html?: string): string {
  const { axis, good, bad, lines, versions, notes, search, outcome } = result;
  return joinLines([
    `search   ${axis} from ${good} (good) to ${bad} (bad) of ${result.address}`,
    ...renderEnds(result),
    '',
    ...textTable(
      versions.map((version) => [version.value, version.refused ?? describeColours(version)]),
      INDENTED,
    ),
    '',
    ...notes.map((note) => `note     ${note}`),
    ...lines.map(
      (line) =>
        `${line.outcome === 'found' ? 'answer' : 'line'}   ${line.outcome === 'found' ? '' : '  '}${describeLine(line, result)}`,
    ),
    ...renderCost(result),
    ...renderPlace(html),
    ...(search === undefined || outcome !== 'open' ? [] : [`next: npx whodunit bisect --resume ${search}`]),
  ]);
}

/** What a search of versions is about to cost. */
export function renderBisectCost({ versions, mostSeconds, budgetSeconds, next }: BisectResult): string {
  const able = versions.filter(({ refused }) => refused === undefined).length;
  return [
    `${plural(able, 'version')} of ${versions.length} can be run`,
    `at most ${span(mostSeconds)} with two runs of each`,
    ...(next === undefined ? [] : [`first ${next.address}, ${span(next.seconds)}`]),
    budgetSeconds === undefined ? 'no budget' : `budget ${span(budgetSeconds)}`,
  ].join('; ');
}

/** What a search for a difference came to, and where its page for a browser is. */
export function renderDifference(result: DifferenceResult, html?: string): string {
  const { red, green, cells, search, outcome, bisect } = result;
  return joinLines([
    `red      ${red}`,
    `green    ${green}`,
    ...renderEnds(result),
    '',
    ...textTable(
      cells.map((cell) => [cell.address, cell.says, describeColours(cell)]),
      INDENTED,
    ),
    '',
    `answer   ${describeDifferences(result)}`,
    ...renderCost(result),
    ...renderPlace(html),
    ...(search === undefined || outcome !== 'open'
      ? []
      : [`next: npx whodunit difference --resume ${search}`]),
    ...(bisect === undefined ? [] : [`next: ${bisect}`]),
  ]);
}

/** What a search for a difference is about to cost. */
export function renderDifferenceCost({ mostCells, mostSeconds, budgetSeconds }: DifferenceResult): string {
  return `at most ${plural(mostCells, 'cell')}, ${span(mostSeconds)}; ${budgetSeconds === undefined ? 'no budget' : `budget ${span(budgetSeconds)}`}`;
}

function renderEnds({ ends }: Pick<BisectResult, 'ends'>): string[] {
  return [
    ...(ends.green === undefined ? [] : [`green is ${ends.green}`]),
    ...(ends.red === undefined ? [] : [`red is   ${ends.red}`]),
  ];
}

function renderCost({
  runs,
  seconds,
  next,
  search,
}: Pick<BisectResult, 'runs' | 'seconds' | 'next' | 'search'>): string[] {
  const wanted =
    next === undefined
      ? []
      : [
          `wanted   ${plural(next.runs, 'run')} of ${shellWord(next.address)}${next.isFresh ? ' in a freshly built world' : ''}, about ${span(next.seconds)}`,
        ];
  const took = seconds > 0 ? ` in ${span(seconds)}` : '';
  return [
    ...wanted,
    ...(search === undefined ? [] : [`state    ${plural(runs, 'run')}${took}, search ${search}`]),
  ];
}

function renderPlace(html: string | undefined): string[] {
  return html === undefined ? [] : [`html     ${html}`];
}

function span(seconds: number): string {
  return formatDuration(seconds * 1000);
}
