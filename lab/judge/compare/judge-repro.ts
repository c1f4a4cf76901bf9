import type { Comparison } from '../../model/declared/bug.ts';
import { describeComparison, describeNumber, unitOf } from '../../model/saved/describe-measure.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { BoundResult, Statistic } from '../../model/measures/measure.ts';
import type { Compared, ReproOutcome } from '../../model/saved/repro.ts';
import { wilsonInterval } from '../../model/rates/rates.ts';

/** Whether the bug was seen, and why, in one sentence. */
export interface ReproJudgement {
  readonly outcome: ReproOutcome;
  readonly note: string;
  /** What the bug compares of its two cells. */
  readonly compared: readonly Compared[];
}

/**
 * Compares the cells of one bug. Each has its own expectation: the affected one expects the bug, and shows it as well when
 * no pod starts in its world, where that is what the bug does. A cell that was not observed, or a control that does not
 * behave, leaves the question open.
 */
export function judgeRepro(
  affected: CellResult,
  fixed: CellResult,
  controls: readonly CellResult[],
  comparisons: readonly Comparison[] = [],
): ReproJudgement {
  // When the runs of a cell differ, its result has the numbers of one run that does not show it.
  const isMixed = affected.verdict === 'failed' && (affected.rate?.passed ?? 0) > 0;
  const compared = isMixed ? [] : comparisons.map((comparison) => compare(comparison, affected, fixed));
  return { ...judgeCells(affected, fixed, controls, compared), compared };
}

function judgeCells(
  affected: CellResult,
  fixed: CellResult,
  controls: readonly CellResult[],
  compared: readonly Compared[],
): Pick<ReproJudgement, 'outcome' | 'note'> {
  const others = [fixed, ...controls];
  const unseen = isUnseen(affected) ? affected : others.find((cell) => isUnseen(cell) && !startsNoPod(cell));
  if (unseen !== undefined) {
    const note = `${unseen.address} is ${unseen.verdict}: ${unseen.note ?? 'nobody knows why'}`;
    return { outcome: 'inconclusive', note };
  }
  const odd = controls.find((cell) => cell.verdict !== 'passed');
  if (odd !== undefined) {
    return {
      outcome: 'inconclusive',
      note: `the control ${odd.address} does not behave: ${differenceOf(odd)}`,
    };
  }
  const shown = countPassed(affected);
  if (shown.passed === 0) {
    return {
      outcome: 'not-reproduced',
      note: `${affected.address} does not show it${inRuns(affected)}: ${differenceOf(affected)}`,
    };
  }
  if (fixed.verdict !== 'passed') {
    return {
      outcome: 'not-reproduced',
      note: `${fixed.address} is not as it should be${inRuns(fixed)}: ${differenceOf(fixed)}`,
    };
  }
  if (affected.verdict === 'failed' && !isBeyondChance(affected, fixed)) {
    const [seen, beside] = [affected, fixed].map((cell) => `${cell.address}${inRuns(cell)}`);
    return {
      outcome: 'inconclusive',
      note: `too few runs to tell it from chance: ${seen} shows it, ${beside} is as it should be; repeat it more often`,
    };
  }
  // With values that a person asked for, the two may have to end alike.
  const sameWanted = JSON.stringify(affected.expected) === JSON.stringify(fixed.expected);
  if (compared.length === 0 && affected.verdict === 'passed' && sameWanted) {
    const note = `${affected.address} does not show it: it ends like ${fixed.address}, ${killerOf(affected)}`;
    return { outcome: 'not-reproduced', note };
  }
  const open = compared.find(({ holds }) => holds === null);
  if (open !== undefined)
    return { outcome: 'inconclusive', note: `nobody measured both sides: ${spell(open, affected)}` };
  const alike = compared.find(({ holds }) => holds === false);
  if (alike !== undefined)
    return { outcome: 'not-reproduced', note: `the two are too near: ${spell(alike, affected)}` };
  const differences = compared.map((comparison) => spell(comparison, affected));
  return {
    outcome: 'reproduced',
    note: [
      [affected, fixed].map((cell) => `${killerOf(cell)} on ${cell.address}${inRuns(cell)}`).join(', '),
      ...(differences.length > 0 ? differences : describeMeasured(affected, fixed)),
    ].join('; '),
  };
}

/** A comparison in words, in the unit of its measure. */
function spell(comparison: Compared, { measures }: CellResult): string {
  return describeComparison(comparison, unitOf(comparison.measure, measures));
}

/** Whether it was not observed. That no pod starts is an answer where it had to be so. */
function isUnseen(cell: CellResult): boolean {
  return cell.verdict !== 'passed' && cell.verdict !== 'failed' && !showsStartFailure(cell);
}

/** Whether no pod started in its world, as declared, whatever the cell had to show. */
function startsNoPod({ startFailure }: CellResult): boolean {
  return startFailure !== undefined;
}

/** Whether no pod started in its world, and that is what the cell had to show. */
function showsStartFailure({ startFailure }: CellResult): boolean {
  return startFailure?.expected === true;
}

/** Runs of a cell that ended as expected, of all its runs; one run of a cell that is not repeated. */
function countPassed(cell: CellResult): { passed: number; of: number } {
  const { rate, attempts, verdict } = cell;
  if (rate === undefined) return { passed: verdict === 'passed' || showsStartFailure(cell) ? 1 : 0, of: 1 };
  return { passed: rate.passed, of: attempts?.length ?? rate.of };
}

/** ` in 4 of 5 runs`; nothing for a cell that was run once. */
function inRuns(cell: CellResult): string {
  const { passed, of } = countPassed(cell);
  return cell.rate === undefined ? '' : ` in ${passed} of ${of} runs`;
}

/**
 * Whether the affected cell shows it more often than chance lets the fixed one: the intervals of 95 % do not meet. A run
 * without a verdict counts against it on both sides.
 */
function isBeyondChance(affected: CellResult, fixed: CellResult): boolean {
  const [shown, right] = [countPassed(affected), countPassed(fixed)];
  return wilsonInterval(shown.passed, shown.of).low > wilsonInterval(right.of - right.passed, right.of).high;
}

/** Nothing is many times nothing, but any number is as many times zero as one wants. */
function compare(comparison: Comparison, affected: CellResult, fixed: CellResult): Compared {
  const { measure, statistic, ratioAtLeast, reason } = comparison;
  const [high, low] = [affected, fixed].map((cell) => boundOf(cell, measure, statistic)?.value ?? null);
  const isKnown = high !== undefined && high !== null && low !== undefined && low !== null;
  return {
    measure,
    statistic,
    ratioAtLeast,
    reason,
    affected: high ?? null,
    fixed: low ?? null,
    holds: isKnown ? high > 0 && high >= low * ratioAtLeast : null,
  };
}

/** A number that nothing is missing of: it was held against a bound. */
function boundOf(
  { measures = [] }: CellResult,
  measure: string,
  statistic: Statistic,
): BoundResult | undefined {
  return measures
    .find((result) => result.measure === measure)
    ?.bounds.find((result) => result.statistic === statistic);
}

/** What both cells expected of the same number, where the bug itself compares nothing. */
function describeMeasured(affected: CellResult, fixed: CellResult): string[] {
  return (affected.measures ?? []).flatMap(({ measure, unit, bounds }) =>
    bounds.flatMap(({ statistic, value }) => {
      const other = boundOf(fixed, measure, statistic)?.value;
      if (value === undefined || other === undefined) return [];
      const spell = (number: number): string => describeNumber(unit, number, statistic);
      return [`${statistic} ${measure} ${spell(value)} beside ${spell(other)}`];
    }),
  );
}

function differenceOf(cell: CellResult): string {
  const [first] = cell.mismatches;
  return first === undefined ? killerOf(cell) : `expected ${first.expected}, observed ${first.observed}`;
}

function killerOf({ attribution: { killer, level }, startFailure }: CellResult): string {
  if (startFailure !== undefined) return `no pod starts (containerd says "${startFailure.text}")`;
  return `${killer}${level === undefined ? '' : ` at ${level} level`}`;
}
