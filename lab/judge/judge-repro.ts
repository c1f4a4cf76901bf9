import type { Comparison } from '../model/bug.ts';
import { describeComparison, describeNumber } from '../model/describe-measure.ts';
import type { CellResult } from '../model/formats.ts';
import type { BoundResult, Statistic } from '../model/measure.ts';
import type { Compared, ReproOutcome } from '../model/repro.ts';

/** Whether the bug was seen, and why, in one sentence. */
export interface ReproJudgement {
  readonly outcome: ReproOutcome;
  readonly note: string;
  /** What the bug compares of its two cells. */
  readonly compared: readonly Compared[];
}

/**
 * Compares the cells of one bug. Each has its own expectation: the affected one expects the bug. A cell that was not
 * observed, or a control that does not behave, leaves the question open.
 */
export function judgeRepro(
  affected: CellResult,
  fixed: CellResult,
  controls: readonly CellResult[],
  comparisons: readonly Comparison[] = [],
): ReproJudgement {
  const compared = comparisons.map((each) => compare(each, affected, fixed));
  return { ...judgeCells(affected, fixed, controls, compared), compared };
}

function judgeCells(
  affected: CellResult,
  fixed: CellResult,
  controls: readonly CellResult[],
  compared: readonly Compared[],
): Pick<ReproJudgement, 'outcome' | 'note'> {
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
  const open = compared.find(({ holds }) => holds === null);
  if (open !== undefined)
    return { outcome: 'inconclusive', note: `nobody measured both sides: ${describeComparison(open)}` };
  const alike = compared.find(({ holds }) => holds === false);
  if (alike !== undefined)
    return { outcome: 'not-reproduced', note: `the two are too near: ${describeComparison(alike)}` };
  const differences = compared.map(describeComparison);
  return {
    outcome: 'reproduced',
    note: [
      `${killerOf(affected)} on ${affected.address}, ${killerOf(fixed)} on ${fixed.address}`,
      ...(differences.length > 0 ? differences : describeMeasured(affected, fixed)),
    ].join('; '),
  };
}

/** Nothing is many times nothing, but any number is as many times zero as one wants. */
function compare(comparison: Comparison, affected: CellResult, fixed: CellResult): Compared {
  const { measure, statistic, ratioAtLeast, reason } = comparison;
  const [high, low] = [affected, fixed].map((cell) => boundOf(cell, measure, statistic)?.value ?? null);
  const isKnown = high !== undefined && high !== null && low !== undefined && low !== null;
  return {
    ...{ measure, statistic, ratioAtLeast, reason, affected: high ?? null, fixed: low ?? null },
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
    .find((each) => each.measure === measure)
    ?.bounds.find((each) => each.statistic === statistic);
}

/** What both cells expected of the same number, where the bug itself compares nothing. */
function describeMeasured(affected: CellResult, fixed: CellResult): string[] {
  return (affected.measures ?? []).flatMap(({ measure, bounds }) =>
    bounds.flatMap(({ statistic, value }) => {
      const other = boundOf(fixed, measure, statistic)?.value;
      if (value === undefined || other === undefined) return [];
      const spell = (number: number): string => describeNumber(measure, number, statistic);
      return [`${statistic} ${measure} ${spell(value)} beside ${spell(other)}`];
    }),
  );
}

function differenceOf(cell: CellResult): string {
  const [first] = cell.mismatches;
  return first === undefined ? killerOf(cell) : `expected ${first.expected}, observed ${first.observed}`;
}

function killerOf({ attribution: { killer, level } }: CellResult): string {
  return `${killer}${level === undefined ? '' : ` at ${level} level`}`;
}
