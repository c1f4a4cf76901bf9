import type { Investigated, Investigation, PlannedLeg } from '../../model/saved/investigate.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { sum } from '../../model/text/sum.ts';
import { nameLeg, tellLeg } from '../words/leg-words.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';

/** Cells whose legs are listed before a run, in which any of them may fail. */
const MOST_SHOWN = 10;

/** How failed cells are run again, what is left out and why, and what it costs. */
export function renderInvestigationPlan(all: readonly Investigation[]): string {
  const seconds = sum(all.map(({ estimateSeconds }) => estimateSeconds));
  const shown = all.slice(0, MOST_SHOWN);
  return joinLines([
    `a failure is looked into: ${plural(all.length, 'cell')}, at most ${formatDuration(seconds * 1000)}`,
    ...shown.flatMap(({ address, legs, estimateSeconds }) => [
      `${address}, ${formatDuration(estimateSeconds * 1000)}`,
      ...textTable(legs.map(describePlanned), INDENTED),
    ]),
    ...(all.length > shown.length ? [`and ${plural(all.length - shown.length, 'more cell')}`] : []),
  ]);
}

function describePlanned({ leftOut, ...leg }: PlannedLeg): string[] {
  return [nameLeg(leg), leftOut === undefined ? (leg.address ?? '') : `left out: ${leftOut}`];
}

/** What the failures of a run follow. */
export function renderInvestigated(all: readonly Investigated[]): string[] {
  return all.flatMap(({ address, says, legs }) => [
    '',
    `${address}: ${says}`,
    ...textTable(
      legs.map((leg) => [nameLeg(leg), tellLeg(leg)]),
      INDENTED,
    ),
  ]);
}
