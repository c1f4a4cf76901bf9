import { parametersField } from '../../model/declared/parameters.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { VERDICTS } from '../../model/killers/killers.ts';
import type { CellResult, Rejudged } from '../../model/saved/formats.ts';
import { row, shortenPaths } from '../text/page-rows.ts';
import { joinLines, textTable } from '../text/text-table.ts';
import { explainCell, runcRow } from './explain-cell.ts';
import { missingRows, nextRow } from './missing-cells.ts';

/** Files that are named; `--json` has all. */
const MAX_SHOWN = 20;

/** A cell that was judged again. */
export interface Rejudgement {
  readonly cell: Rejudged['cells'][number];
  readonly record: CellRecord;
  /** What its nodes printed; undefined where that was not saved. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  /** Why there is nothing to compare with. */
  readonly uncompared?: string;
}

/** What `whodunit judge` found. */
interface Found {
  readonly rejudged: readonly Rejudgement[];
  readonly missing: NonNullable<Rejudged['missing']>;
  readonly notAsExported: NonNullable<Rejudged['notAsExported']>;
}

/**
 * Renders `whodunit judge`: a page for each cell, or a line each for many; then what is missing, a total, and what was
 * changed after the export.
 */
export function renderRejudged({ rejudged, missing, notAsExported }: Found): string {
  return [renderAll(rejudged, missing), ...renderDifferences(notAsExported)].join('\n\n');
}

/** The evidence of an export that was changed may be that of another death: it is said last, where it is seen. */
function renderDifferences(files: Found['notAsExported']): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, MAX_SHOWN).map(({ file, is }) => row(is, file));
  const more = files.length > MAX_SHOWN ? [row('', `and ${files.length - MAX_SHOWN} more`)] : [];
  return [joinLines(['this is not the evidence that was exported (contents.json)', ...shown, ...more])];
}

/** More pages than these are not read from top to bottom. */
const MOST_PAGES = 6;

/** A page for each cell, or a line for each of many; then what is missing, and a total. */
function renderAll(rejudged: readonly Rejudgement[], missing: Found['missing']): string {
  if (rejudged.length === 1 && missing.length === 0) return rejudged.map(render).join('');
  const pages = rejudged.length > MOST_PAGES ? renderTable(rejudged) : rejudged.map(render).join('\n\n');
  const changed = rejudged.filter(({ cell }) => (cell.changed ?? []).length > 0).length;
  const counts = VERDICTS.flatMap((verdict) => {
    const count = rejudged.filter(({ cell }) => cell.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const total = [
    `${rejudged.length} judged${missing.length === 0 ? '' : ` of ${rejudged.length + missing.length}`}`,
    ...counts,
    `${changed} changed`,
    ...(missing.length === 0 ? [] : [`${missing.length} missing`]),
  ];
  const next = rejudged.find(({ cell }) => cell.verdict === 'failed') ?? rejudged[0];
  const lines = [
    ...missingRows(missing),
    row('total', total.join(', ')),
    ...nextRow(next?.cell.folder, missing),
  ];
  return [...(rejudged.length === 0 ? [] : [pages]), joinLines(lines)].join('\n\n');
}

/** A line for each cell. */
function renderTable(rejudged: readonly Rejudgement[]): string {
  const lines = rejudged.map(({ cell, uncompared }) => {
    const { address, verdict, attribution, changed = [] } = cell;
    const { killer, confidence } = attribution;
    const fields = changed.map(({ field }) => field).join(', ');
    const now = fields === '' ? (uncompared === undefined ? '' : 'not compared') : `changed: ${fields}`;
    return [address, verdict, `${killer}, ${confidence}`, now];
  });
  return textTable([['cell', 'verdict', 'killer', ''], ...lines]).join('\n');
}

function render({ cell, record, versions, uncompared }: Rejudgement): string {
  const { folder, changed = [], ...judged } = cell;
  const result: CellResult = {
    ...judged,
    scenario: record.scenario,
    variant: { ...record.variant },
    evidence: folder,
    ...parametersField(record.parameters ?? {}),
    expected: { ...record.expected },
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
  };
  const differences = changed.map(
    ({ field, before, now }) => `${field}: ${shortenPaths(before)} -> ${shortenPaths(now)}`,
  );
  const [first = uncompared ?? 'as it was judged before', ...more] = differences;
  const lines = [
    ...runcRow(record.variant, versions),
    row('changed', first),
    ...more.map((line) => row('', line)),
  ];
  return `${explainCell(result, folder)}${joinLines(lines)}`;
}
