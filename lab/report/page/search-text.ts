import { AXES } from '../../model/axes/axes.ts';
import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { plainText } from '../../model/text/plain-text.ts';
import { shortenPaths } from '../text/page-rows.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { describeMemory, describeVictim, describeWho } from '../words/cell-words.ts';
import { findingLines, listProof } from '../words/proof-lines.ts';
import type { CellFacts } from './run-report.ts';

/**
 * Returns the text of a cell in which the search of the page looks: in lower case, with ` name=value` for axes and
 * parameters. For a cell that was not run it is short.
 */
export function searchTextOf(cell: CellResult, { asked }: Pick<CellFacts, 'asked'>): string {
  const { attribution, variant, parameters = {}, verdict } = cell;
  const pairs = [
    ['verdict', verdict],
    ...(verdict === 'skipped' ? [] : [['killer', attribution.killer]]),
    ...AXES.map((axis) => [axis, variant[axis]]),
    ...Object.entries(parameters),
  ].map(([name, value]) => `${name ?? ''}=${String(value)}`);
  const told = [
    describeWho(cell),
    describeVictim(attribution),
    describeMemory(attribution),
    ...(attribution.doubts ?? []),
    ...cell.claims.map(({ layer, says }) => `${layer} ${says}`),
    ...listProof(attribution).map(({ source, text }) => `${source} ${text}`),
    ...findingLines(attribution),
  ];
  const parts = [
    cell.address,
    ...pairs,
    ...(verdict === 'skipped' ? [] : told),
    ...cell.mismatches.map(({ field, expected, observed }) => `${field} ${expected} ${observed}`),
    describeOutcome(cell.expected, cell.measures),
    cell.note ?? '',
    describeKnownBug(cell) ?? '',
    asked?.title ?? '',
  ];
  return ` ${parts.map((part) => shortenPaths(plainText(part))).join(' ')} `.toLowerCase();
}
