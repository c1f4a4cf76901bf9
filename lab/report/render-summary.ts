import { addressWord } from '../model/host/cell-address.ts';
import { describeOutcome } from '../model/saved/describe-outcome.ts';
import type { CellResult, RunResult } from '../model/saved/formats.ts';
import type { Verdict } from '../model/killers/killers.ts';
import { formatDuration } from '../model/text/format-duration.ts';
import { describeKnownBug } from './bug-facts.ts';
import { placeOf } from './page-rows.ts';
import { findingLines, listProof, mismatchSides } from './proof-lines.ts';
import { joinLines } from './text-table.ts';

/** A sign for each verdict, beside its colour. */
export const VERDICT_MARKS: Readonly<Record<Verdict, string>> = {
  passed: '✓',
  failed: '✗',
  inconclusive: '?',
  skipped: '-',
  interrupted: '!',
};

/** Renders a run for a terminal: one line a cell, what did not hold below it, totals, and the next command. */
export function renderSummary(result: RunResult): string {
  const width = Math.max(0, ...result.cells.map((cell) => cell.address.length));
  const lines = result.cells.flatMap((cell) => [renderCellLine(cell, width), ...renderCellProblems(cell)]);
  const where = `${result.accelerator === 'kvm' ? 'KVM' : 'emulated'}, run ${result.run}`;
  lines.push('', `${renderTotals(result)} (${where})`, `next: ${nextCommand(result)}`);
  return joinLines(lines);
}

/** Renders one cell as one line: `✓ passed  default/plain-exit  self-exit  8.4 s`. */
export function renderCellLine(cell: CellResult, addressWidth = cell.address.length): string {
  const verdict = `${VERDICT_MARKS[cell.verdict]} ${cell.verdict.padEnd(12)}`;
  const bug = describeKnownBug(cell);
  const seconds = formatDuration(cell.timings.totalMs).padStart(8);
  const columns = [
    ...[verdict, cell.address.padEnd(addressWidth)],
    ...(cell.verdict === 'skipped' ? [cell.note ?? ''] : [describeKiller(cell).padEnd(24), seconds]),
  ];
  return [...columns, ...(bug === undefined ? [] : [`bug ${bug}`])].join('  ');
}

/**
 * Renders the killer with its level: `memcg-oom at pod level`. It says when `none` survived, and what is only likely.
 */
export function describeKiller(cell: CellResult): string {
  const { killer, level, confidence } = cell.attribution;
  const where = level === undefined ? '' : ` at ${level} level`;
  const notes = [...(killer === 'none' ? ['survived'] : []), ...(confidence === 'likely' ? ['likely'] : [])];
  return `${killer}${where}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** What became of a cell, where its world may have started no pod: the killer, or that no pod starts. */
export function describeEnd(cell: CellResult): string {
  return cell.startFailure === undefined ? describeKiller(cell) : NO_START;
}

/** What a cell had to come to: its outcome, or that no pod starts. */
export function describeExpected({ expected, startFailure }: CellResult): string {
  return startFailure?.expected === true ? NO_START : describeOutcome(expected);
}

const NO_START = 'no pod starts';

/** What did not hold, as expected / observed / verdict / because; empty for cells that passed or were skipped. */
export function renderCellProblems(cell: CellResult): string[] {
  if (cell.verdict === 'passed' || cell.verdict === 'skipped') return [];
  const lines = cell.mismatches
    .map(mismatchSides)
    .flatMap(({ expected, observed }) => [`    expected  ${expected}`, `    observed  ${observed}`]);
  lines.push(`    verdict   ${cell.verdict}: ${cell.note ?? describeKiller(cell)}`);
  // Older results have proof without a chain. Of several records of one step the first has its name.
  const proof = listProof(cell.attribution).map((ref) => ({ ref, name: ref.step ?? 'because' }));
  proof.forEach(({ ref, name }, index) => {
    const label = name === proof[index - 1]?.name ? '' : name;
    lines.push(`    ${label.padEnd(8)}  ${ref.text}   ${cell.evidence}/${placeOf(ref)}`);
  });
  return [...lines, ...findingLines(cell.attribution).map((line) => `    also seen ${line}`)];
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
  const cell = bad ?? result.cells.find((each) => each.verdict === 'passed');
  return cell === undefined ? 'npx whodunit list' : `npx whodunit why ${addressWord(cell.address)}`;
}
