import type { CellResult } from '../model/formats.ts';
import type { ReproOutcome } from '../model/repro.ts';

/** Whether the bug was seen, and why, in one sentence. */
export interface ReproJudgement {
  readonly outcome: ReproOutcome;
  readonly note: string;
}

/**
 * Compares the cells of one bug. Each has its own expectation: the affected one expects the bug. A cell that was not
 * observed, or a control that does not behave, leaves the question open.
 */
export function judgeRepro(
  affected: CellResult,
  fixed: CellResult,
  controls: readonly CellResult[],
): ReproJudgement {
  const unseen = [affected, fixed, ...controls].find((cell) => !['passed', 'failed'].includes(cell.verdict));
  if (unseen !== undefined) {
    const note = `${unseen.address} is ${unseen.verdict}: ${unseen.note ?? 'nobody knows why'}`;
    return { outcome: 'inconclusive', note };
  }
  const odd = controls.find((cell) => cell.verdict === 'failed');
  if (odd !== undefined) {
    return {
      outcome: 'inconclusive',
      note: `the control ${odd.address} does not behave: ${differenceOf(odd)}`,
    };
  }
  if (affected.verdict === 'failed') {
    return {
      outcome: 'not-reproduced',
      note: `${affected.address} does not show it: ${differenceOf(affected)}`,
    };
  }
  if (fixed.verdict === 'failed') {
    return {
      outcome: 'not-reproduced',
      note: `${fixed.address} is not as it should be: ${differenceOf(fixed)}`,
    };
  }
  return {
    outcome: 'reproduced',
    note: `${killerOf(affected)} on ${affected.address}, ${killerOf(fixed)} on ${fixed.address}`,
  };
}

function differenceOf(cell: CellResult): string {
  const [first] = cell.mismatches;
  return first === undefined ? killerOf(cell) : `expected ${first.expected}, observed ${first.observed}`;
}

function killerOf({ attribution: { killer, level } }: CellResult): string {
  return `${killer}${level === undefined ? '' : ` at ${level} level`}`;
}
