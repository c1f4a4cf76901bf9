import { addressWord } from '../../model/host/cell-address.ts';
import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { describeKnownBug } from './bug-facts.ts';
import { row } from '../text/page-rows.ts';
import { joinLines } from '../text/text-table.ts';

/** Pages of cells that were not observed: they have no killer, no victim and no advice. */

/**
 * Explains a cell that a rule refused, or whose world starts no pod: the rule, its reason and source, and where the
 * scenario can run.
 */
export function explainSkipped(cell: CellResult): string {
  const { address, scenario } = cell;
  const bug = describeKnownBug(cell);
  const lines = [
    `${address}: skipped`,
    '',
    ...explainRefusal(cell).map(([name, text]) => row(name, text)),
    ...(bug === undefined ? [] : [row('bug', bug)]),
    row('try', `npx whodunit list scenario=${scenario} set=full   (where this scenario can run)`),
  ];
  return `${joinLines(lines)}\n`;
}

/** Why a cell was not observed, by name: the rule that refused it with its reason and source, else its note. */
export function explainRefusal({ note }: Pick<CellResult, 'note'>): (readonly [string, string])[] {
  const refusal = parseRefusal(note ?? '');
  if (refusal === undefined) return [['note', note ?? 'no reason was saved']];
  const { rule, reason, source, seen } = refusal;
  return [
    ['rule', rule],
    ['reason', reason],
    ['source', source],
    ...(seen === undefined ? [] : [['seen', seen] as const]),
  ];
}

/** Whether a cell should have been observed and was not. */
export function isUnobserved({ verdict, attribution, claims }: CellResult): boolean {
  const hasVerdict = verdict === 'passed' || verdict === 'failed';
  return (
    !hasVerdict && attribution.killer === 'unknown' && claims.length === 0 && attribution.because.length === 0
  );
}

/** A cell that was interrupted before anything was seen, or whose world did not come up. */
export function explainUnseen(result: CellResult, evidence: string): string {
  const lines = [
    `${result.address}: ${result.verdict}`,
    '',
    row('note', result.note ?? 'no reason was saved'),
    row('expected', `${describeOutcome(result.expected, result.measures)}: not observed`),
    ...(evidence === '' ? [] : [row('evidence', evidence)]),
    row('try', `npx whodunit run ${addressWord(result.address)}`),
  ];
  return `${joinLines(lines)}\n`;
}

/** The parts of the note of a skipped cell (`lab/world/run/unseen-cell.ts`). */
interface Refusal {
  readonly rule: string;
  readonly reason: string;
  readonly source: string;
  /** What happened to a world that is declared unable to start pods. */
  readonly seen: string | undefined;
}

function parseRefusal(note: string): Refusal | undefined {
  const [declared = '', ...seen] = note.split('; seen: ');
  const [, rule, reason, source] = /^([^:\s]+): (.+) \(([^()\s]+)\)$/s.exec(declared) ?? [];
  if (rule === undefined || reason === undefined || source === undefined) return undefined;
  return { rule, reason, source, seen: seen.length === 0 ? undefined : seen.join('; seen: ') };
}
