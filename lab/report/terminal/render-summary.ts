import { addressWord } from '../../model/host/cell-address.ts';
import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { describeKnownBug } from '../words/bug-facts.ts';
import { describeKiller, VERDICT_MARKS } from '../words/describe-verdict.ts';
import { renderCellProblems } from '../words/cell-problems.ts';
import { joinLines } from '../text/text-table.ts';
import { largest } from '../../model/text/extremes.ts';

/** Renders a run for a terminal: one line a cell, what did not hold below it, totals, and the next command. */
export function renderSummary(result: RunResult): string {
  const width = largest(
    result.cells.map((cell) => cell.address.length),
    0,
  );
  const lines = result.cells.flatMap((cell) => [renderCellLine(cell, width), ...renderCellProblems(cell)]);
  const where = `${result.accelerator === 'kvm' ? 'KVM' : 'emulated'}, run ${result.run}`;
  lines.push('', `${renderTotals(result)} (${where})`, `next: ${nextCommand(result)}`);
  return joinLines(lines);
}

/** Renders one cell as one line: `✓ passed  default/plain-exit  self-exit  8.4 s`. */
function renderCellLine(cell: CellResult, addressWidth = cell.address.length): string {
  const verdict = `${VERDICT_MARKS[cell.verdict]} ${cell.verdict.padEnd(12)}`;
  const bug = describeKnownBug(cell);
  const seconds = formatDuration(cell.timings.totalMs).padStart(8);
  const columns = [
    verdict,
    cell.address.padEnd(addressWidth),
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
