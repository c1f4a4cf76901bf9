import type { CellResult, RunResult } from '../../model/saved/formats.ts';
import type { GateResult } from '../../model/saved/gate.ts';
import { disarmText } from '../../model/text/log-commands.ts';
import { plainText } from '../../model/text/plain-text.ts';
import { inlineCode } from '../text/markdown.ts';
import { mismatchSides } from '../words/proof-lines.ts';
import { renderGateMarkdown } from './render-gate-markdown.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderTotals } from '../terminal/render-summary.ts';
import { describeKiller } from '../words/describe-verdict.ts';

/** What GitHub shows of one kind of annotation in a step; it drops the others without a word. */
const SHOWN_ANNOTATIONS = 10;
/** A step summary above 1 MiB is refused whole. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

/** What GitHub Actions is told. */
export interface GithubReport {
  /** Workflow commands, one a line. */
  readonly annotations: readonly string[];
  /** Markdown for the summary of the step. */
  readonly summary: string;
}

/** Tells of a run: an error for each failed cell, and a warning for each that was not observed or was interrupted. */
export function reportRun(result: RunResult): GithubReport {
  const failed = result.cells.filter(({ verdict }) => verdict === 'failed');
  const unseen = result.cells.filter(
    ({ verdict }) => verdict === 'inconclusive' || verdict === 'interrupted',
  );
  const tell = (cell: CellResult): Annotated => ({
    title: `${cell.address} ${cell.verdict}`,
    message: explain(cell),
  });
  return {
    annotations: [...annotate('error', failed.map(tell)), ...annotate('warning', unseen.map(tell))],
    summary: renderStepSummary(result),
  };
}

/** Tells of a gate: an error for each changed death, and a warning for each cell that it could not decide. */
export function reportGate(result: GateResult): GithubReport {
  const changed = result.changed.map(({ address, says }) => ({ title: `${address} changed`, message: says }));
  const open = result.notDecided.map(({ address, why }) => ({
    title: `${address} not decided`,
    message: why,
  }));
  return {
    annotations: [...annotate('error', changed), ...annotate('warning', open)],
    summary: renderGateSummary(result),
  };
}

interface Annotated {
  readonly title: string;
  readonly message: string;
}

/**
 * Renders workflow commands of GitHub Actions, one a line. If there are more than GitHub shows, the last one says how many.
 *
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function annotate(kind: 'error' | 'warning', cells: readonly Annotated[]): string[] {
  const isCut = cells.length > SHOWN_ANNOTATIONS;
  const shown = isCut ? cells.slice(0, SHOWN_ANNOTATIONS - 1) : cells;
  const lines = shown.map(({ title, message }) => command(kind, title, message));
  if (!isCut) return lines;
  const rest = cells.length - shown.length;
  return [...lines, command(kind, `${rest} more cells`, 'the summary of this step has all of them')];
}

function explain(cell: CellResult): string {
  const sides = cell.mismatches
    .map(mismatchSides)
    .flatMap(({ expected, observed }) => [`expected ${expected}`, `observed ${observed}`]);
  const note = cell.note === undefined ? [] : [cell.note];
  const lines = [...note, ...sides, `killer ${describeKiller(cell)}`, `evidence ${cell.evidence}`];
  return lines.join('\n');
}

function command(kind: string, title: string, message: string): string {
  const property = escapeData(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${property}::${escapeData(message)}`;
}

/**
 * Escapes like `escapeData` of https://github.com/actions/toolkit (packages/core/src/command.ts). The text that the runner
 * shows afterwards is not a command either.
 */
function escapeData(text: string): string {
  return disarmText(plainText(text)).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

/**
 * Renders a run as Markdown for the summary of a step: all cells if they fit, else those that did not pass, else only the
 * totals.
 *
 * @param maxBytes the most bytes of a summary.
 */
export function renderStepSummary(result: RunResult, maxBytes = MAX_SUMMARY_BYTES): string {
  const open = result.cells.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'skipped');
  const cut = 'The summary of all cells is too long for GitHub; the saved run has them.';
  return firstThatFits(maxBytes, [
    renderMarkdown(result),
    `${renderMarkdown({ ...result, cells: open })}\n\n${cut}`,
    `### whodunit ${result.run}: ${renderTotals(result)}\n\n${cut}`,
  ]);
}

/** Renders a gate: all of it if it fits, else without what is as before, else only how many deaths changed. */
export function renderGateSummary(result: GateResult, maxBytes = MAX_SUMMARY_BYTES): string {
  const cut = `The whole page is too long for GitHub; ${inlineCode('gate --save')} writes it.`;
  const open = { ...result, flaky: [], same: [], new: [] };
  const whole = renderGateMarkdown(result);
  const [title = ''] = whole.split('\n', 1);
  return firstThatFits(maxBytes, [
    whole.trimEnd(),
    `${renderGateMarkdown(open)}\n${cut}`,
    `${title}\n\n${cut}`,
  ]);
}

/** The first of some texts that is short enough as a file, else the last one. */
function firstThatFits(maxBytes: number, texts: readonly string[]): string {
  const encoder = new TextEncoder();
  return texts.find((text) => encoder.encode(`${text}\n`).length <= maxBytes) ?? texts.at(-1) ?? '';
}
