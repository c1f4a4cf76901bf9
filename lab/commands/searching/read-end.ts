import { readDeathOf } from '../../gate/compare/read-death.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { SearchedRun } from '../../model/saved/search.ts';
import {
  findSearchedMeasure,
  spellSearchedNumber,
  type SearchedMeasure,
} from '../../model/saved/searched-measure.ts';

/** Returns how the victim of a cell ended, with the numbers of the measures that `what` names. */
export function readEnd(
  cell: Pick<CellResult, 'attribution' | 'claims' | 'measures'>,
  what: readonly string[],
): NonNullable<SearchedRun['end']> {
  const { killer, level, how, process } = cell.attribution;
  const end = { killer, level, how, process, reason: readDeathOf(cell).reason };
  const bounds = what.map(findSearchedMeasure).filter((bound) => bound !== undefined);
  if (bounds.length === 0) return end;
  const measured: Record<string, number> = {};
  const notMeasured: Record<string, string> = {};
  for (const bound of bounds) {
    const number = readNumber(cell, bound);
    const name = spellSearchedNumber(bound);
    if (typeof number === 'number') measured[name] = number;
    else notMeasured[name] = number;
  }
  return Object.keys(notMeasured).length === 0 ? { ...end, measured } : { ...end, measured, notMeasured };
}

/** Returns the number, or why it is not known. If a part of the readings may be missing, there is no number. */
function readNumber(
  { measures = [] }: Pick<CellResult, 'measures'>,
  { measure, statistic }: SearchedMeasure,
): number | string {
  const found = measures.find((result) => result.measure === measure);
  if (found === undefined) return `the run did not measure ${measure}`;
  return found.missing ?? found[statistic] ?? 'there is no such number';
}
