import type { Investigated, Investigation, PlannedLeg } from '../../model/saved/investigate.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import { plural } from '../../model/text/plural.ts';
import { sum } from '../../model/text/sum.ts';
import { nameLeg, describeLeg } from '../words/leg-words.ts';
import { INDENTED, joinLines, textTable } from '../text/text-table.ts';

/** Failed cells whose legs are listed. */
const MOST_SHOWN = 10;
/** Cells whose legs are listed before a run: of more it is not known which ones fail. */
const MOST_POSSIBLE = 3;

/** Before a run, in which any of these cells may fail: what is run only then. */
export function renderPossibleInvestigations(all: readonly Investigation[], mostCells: number): string {
  const most = Math.min(mostCells, all.length);
  const dearest = all.map(({ estimateSeconds }) => estimateSeconds).sort((one, other) => other - one);
  const time = formatDuration(sum(dearest.slice(0, most)) * 1000);
  const those = all.length === 1 ? 'the cell fails' : `cells fail (for ${most} of them at the most)`;
  if (all.length <= MOST_POSSIBLE)
    return renderLegs(`only if ${those}: these are run too, ${time} at the most`, all);
  const legs = new Set(all.flatMap((one) => one.legs.map(nameLeg)));
  return joinLines([`only if ${those}: each is run again, ${time} at the most`, `  ${[...legs].join(', ')}`]);
}

/** How failed cells are run again, what is left out and why, and what it costs. */
export function renderInvestigationPlan(all: readonly Investigation[]): string {
  const time = formatDuration(sum(all.map(({ estimateSeconds }) => estimateSeconds)) * 1000);
  return renderLegs(`what failed is run again: ${plural(all.length, 'cell')}, at most ${time}`, all);
}

function renderLegs(heading: string, all: readonly Investigation[]): string {
  const shown = all.slice(0, MOST_SHOWN);
  return joinLines([
    heading,
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
      legs.map((leg) => [nameLeg(leg), describeLeg(leg)]),
      INDENTED,
    ),
  ]);
}
