import { addressWord } from '../../model/host/cell-address.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { groupBy } from '../../model/text/group-by.ts';
import { plural } from '../../model/text/plural.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { describeKiller, VERDICT_MARKS } from '../words/describe-verdict.ts';
import { renderCellProblems } from '../words/cell-problems.ts';
import { joinLines } from '../text/text-table.ts';
import { largest } from '../../model/text/extremes.ts';

/**
 * Renders a run for a terminal: one line a cell, what did not hold below it, totals, and the next command. Cells that one rule
 * refuses share a line: set=full has thousands.
 */
export function renderSummary(result: RunResult): string {
  const rows = groupBy(result.cells, refusalOf);
  const width = largest(
    [...rows.values()].map((cells) => nameCells(cells).length),
    0,
  );
  const lines = [...rows.values()].flatMap((cells) => [
    renderRow(cells, width),
    ...cells.flatMap(renderCellProblems),
  ]);
  const where = `${result.accelerator === 'kvm' ? 'KVM' : 'emulated'}, run ${result.run}`;
  lines.push('', `${renderTotals(result)} (${where})`, `next: ${nextCommand(result)}`);
  return joinLines(lines);
}

/** Why no world was made for a cell, the same text for all that a rule refuses; of any other cell its address. */
function refusalOf({ address, verdict, note, startFailure }: CellResult): string {
  return verdict === 'skipped' && startFailure === undefined && note !== undefined ? note : address;
}

function nameCells(cells: readonly CellResult[]): string {
  return cells.length === 1 ? (cells[0]?.address ?? '') : plural(cells.length, 'cell');
}

/** Renders one cell, or several that are skipped for one reason: `✓ passed  default/plain-exit  self-exit  8.4 s`. */
function renderRow(cells: readonly CellResult[], width: number): string {
  const [cell] = cells;
  if (cell === undefined) return '';
  const verdict = `${VERDICT_MARKS[cell.verdict]} ${cell.verdict.padEnd(12)}`;
  const bug = describeKnownBug(cell);
  const seconds = formatDuration(cell.timings.totalMs).padStart(8);
  const columns = [
    verdict,
    nameCells(cells).padEnd(width),
    ...(cell.verdict === 'skipped' ? [cell.note ?? ''] : [describeKiller(cell).padEnd(24), seconds]),
  ];
  return [...columns, ...(bug === undefined ? [] : [`bug ${bug}`])].join('  ');
}

/** `4 passed, 1 failed`: the verdicts that occur; passed and failed always. */
export function renderTotals({ totals }: RunResult): string {
  const parts = [`${totals.passed} passed`, `${totals.failed} failed`];
  for (const verdict of ['inconclusive', 'skipped', 'interrupted'] as const) {
    if (totals[verdict] > 0) parts.push(`${totals[verdict]} ${verdict}`);
  }
  return parts.join(', ');
}

function nextCommand(result: RunResult): string {
  // With --fail-fast the cells after a failed one count as interrupted.
  if (result.totals.interrupted > 0 && result.totals.failed === 0)
    return `npx whodunit run --resume ${result.run}`;
  const bad = result.cells.find((cell) => cell.verdict === 'failed' || cell.verdict === 'inconclusive');
  const cell = bad ?? result.cells.find((listed) => listed.verdict === 'passed');
  return cell === undefined ? 'npx whodunit list' : `npx whodunit why ${addressWord(cell.address)}`;
}
