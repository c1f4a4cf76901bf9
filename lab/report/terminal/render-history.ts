import { addressWord } from '../../model/host/cell-address.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import type { CellHistory } from '../../model/saved/history.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import { plural } from '../../model/text/plural.ts';
import { row } from '../text/page-rows.ts';
import { VERDICT_MARKS } from '../words/describe-verdict.ts';
import { renderSparkline } from '../text/sparkline.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';

/** Runs that are listed below the history of one cell, and marks in a row of several. */
const SHOWN_RUNS = 20;
/** Marks of one cell: its newest runs. */
const SHOWN_MARKS = 50;

/** What `whodunit history` prints: of one cell all of it, of several a row each. */
export function renderHistory(cells: readonly CellHistory[]): string {
  const [only] = cells;
  if (only !== undefined && cells.length === 1) return renderOne(only);
  const bad = cells.find(({ firstBad }) => firstBad !== undefined) ?? only;
  const rows = cells.map((cell) => [
    cell.address,
    plural(cell.runs.length, 'run'),
    marksOf(cell.runs.slice(-SHOWN_RUNS)),
    describeFailing(cell),
    cell.firstBad === undefined ? '' : `bad since ${cell.firstBad.run}`,
  ]);
  const next = bad === undefined ? [] : ['', `next: npx whodunit history ${addressWord(bad.address)}`];
  return joinLines([...textTable(rows), ...next]);
}

function renderOne(cell: CellHistory): string {
  const { address, runs, firstBad } = cell;
  const shown = runs.slice(-SHOWN_RUNS).reverse();
  const days = [runs[0], runs.at(-1)].map((run) => run?.startedAt.slice(0, 10) ?? '');
  return joinLines([
    `${address}: ${plural(runs.length, 'run')}, ${[...new Set(days)].join(' to ')}`,
    '',
    row('trend', `${marksOf(runs.slice(-SHOWN_MARKS))}  oldest first; ${legendOf(runs)}`),
    row('fails', `${describeFailing(cell)}; ${plural(cell.changes, 'change')} of the verdict`),
    row('killer', describeKillers(cell)),
    ...timeRow(cell),
    ...(firstBad === undefined ? [] : [row('first bad', describeFirstBad(firstBad))]),
    '',
    ...textTable(shown.map(runColumns), INDENTED),
    ...(runs.length > shown.length ? [`  and ${runs.length - shown.length} older runs`] : []),
    '',
    `next: ${nextCommand(cell)}`,
  ]);
}

function marksOf(runs: CellHistory['runs']): string {
  return runs.map(({ verdict }) => VERDICT_MARKS[verdict]).join('');
}

function legendOf(runs: CellHistory['runs']): string {
  const verdicts = [...new Set<Verdict>(runs.map(({ verdict }) => verdict))];
  return verdicts.map((verdict) => `${VERDICT_MARKS[verdict]} ${verdict}`).join(', ');
}

/** `2 of 12 (17 %; 5 to 45 % in the long run)`. */
function describeFailing({ failing: { failed, of, low, high } }: CellHistory): string {
  if (of === 0) return 'never judged';
  const percent = (share: number): string => String(Math.round(share * 100));
  const bounds = `${percent(low)} to ${percent(high)} % in the long run`;
  return `${failed} of ${of} (${percent(failed / of)} %; ${bounds})`;
}

function describeKillers({ runs }: CellHistory): string {
  const counts = new Map<string, number>();
  for (const { killer } of runs) counts.set(killer, (counts.get(killer) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([killer, count]) => `${killer} ${count}`).join(', ');
}

function timeRow({ medianMs, runs }: CellHistory): string[] {
  if (medianMs === undefined) return [];
  const times = runs.filter(({ totalMs }) => totalMs > 0).map(({ totalMs }) => totalMs);
  return [row('time', `median ${formatDuration(medianMs)}  ${renderSparkline(times)}`)];
}

function describeFirstBad({ run, after }: NonNullable<CellHistory['firstBad']>): string {
  return after === undefined ? `${run}; it never passed` : `${run}; ${after} passed`;
}

function runColumns({
  run,
  startedAt,
  verdict,
  killer,
  level,
  totalMs,
}: CellHistory['runs'][number]): string[] {
  const where = level === undefined ? '' : ` at ${level} level`;
  const when = `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)}`;
  return [run, when, `${VERDICT_MARKS[verdict]} ${verdict}`, `${killer}${where}`, formatDuration(totalMs)];
}

function nextCommand({ address, firstBad, runs }: CellHistory): string {
  const word = addressWord(address);
  if (firstBad?.after !== undefined) return `npx whodunit diff ${firstBad.after} ${firstBad.run} ${word}`;
  return `npx whodunit why ${word} --run ${firstBad?.run ?? runs.at(-1)?.run ?? ''}`;
}
