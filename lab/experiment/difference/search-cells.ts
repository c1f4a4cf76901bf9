import type { Tally } from '../../model/rates/rates.ts';
import type { DifferenceHead, SearchedRun } from '../../model/saved/search.ts';
import { sum } from '../../model/text/sum.ts';
import {
  countColours,
  isWorthAsking,
  readPalette,
  tallyColours,
  type ColourCounts,
  type EndPalette,
} from '../bisect/colours.ts';
import { decideResemblance, type Resemblance } from './sequential-test.ts';
import { searchDifference, type FoundDifference } from './smallest-difference.ts';

/** A cell that the search may ask, as the planner knows it. */
export interface AskableCell {
  readonly address: string;
  /** Why it cannot be run. */
  readonly refused?: string | undefined;
  readonly prepareSeconds: number;
  readonly againSeconds: number;
  readonly runSeconds: number;
  /** So many saved runs of it there are; undefined: it can be run. */
  readonly trials?: number | undefined;
}

/** What is wanted next: so many runs of a cell. */
interface WantedCell {
  readonly address: string;
  readonly runs: number;
  readonly seconds: number;
}

/** A cell that was asked. */
interface AskedCellState {
  readonly address: string;
  readonly changed: readonly string[];
  readonly counts: ColourCounts;
  readonly like: Resemblance | undefined;
  readonly refused?: string | undefined;
}

/** What the runs so far come to. */
export interface DifferenceState {
  readonly palette: EndPalette;
  readonly cells: readonly AskedCellState[];
  readonly found?: FoundDifference;
  readonly next?: WantedCell;
  /** The ends do not differ. */
  readonly isAlike: boolean;
}

const NO_RUNS: ColourCounts = { red: 0, green: 0, other: 0, none: 0 };

/**
 * Says what all runs so far come to, and which cell is wanted next; reckoned of the runs only, as `searchVersions` does.
 *
 * @param cellOf the green cell with these names changed.
 */
export function searchCells(
  head: DifferenceHead,
  seen: readonly SearchedRun[],
  cellOf: (changed: readonly string[]) => AskableCell,
): DifferenceState {
  const { red, green, what, mostRuns } = head;
  const palette = readPalette(seen, { good: green, bad: red, what });
  const counts = countColours(seen, palette, what);
  const left = (head.budgetSeconds ?? Infinity) - sum(seen.map(({ seconds }) => seconds));
  const names = head.names.map(({ name }) => name);
  const cells: AskedCellState[] = [];
  const countsOf = (address: string): ColourCounts => counts.get(address) ?? NO_RUNS;
  const want = (cell: AskableCell, runs: number): WantedCell | undefined => {
    const used = seen.filter(({ value }) => value === cell.address).length;
    if (cell.trials !== undefined && used >= cell.trials) return undefined;
    // A world of which no run was ever observed may not have come up: it has to be paid for again.
    const hasRun = seen.some(({ value, end }) => value === cell.address && end !== undefined);
    const seconds = (hasRun ? cell.againSeconds : cell.prepareSeconds) + runs * cell.runSeconds;
    return seconds > left ? undefined : { address: cell.address, runs, seconds };
  };
  const ends = { red: tallyColours(countsOf(red)), green: tallyColours(countsOf(green)) };
  const add = (changed: readonly string[], like: Resemblance | undefined): void => {
    const { address, refused } = cellOf(changed);
    cells.push({ address, changed, counts: countsOf(address), like, refused });
  };
  add([], ends.green.of > 0 ? 'green' : undefined);
  add(names, ends.red.count > 0 ? 'red' : undefined);
  const askedEnd = askEnd(ends, mostRuns);
  if (askedEnd === 'alike') return { palette, cells, isAlike: true };
  if (askedEnd !== undefined) {
    const changed = askedEnd.end === 'red' ? names : [];
    const isUsable = isWorthAsking(countsOf(cellOf(changed).address));
    const next = isUsable ? want(cellOf(changed), askedEnd.runs) : undefined;
    return { palette, cells, isAlike: false, ...(next === undefined ? {} : { next }) };
  }
  const search = searchDifference(names);
  let answer: Resemblance = 'unresolved';
  for (let step = search.next(answer); ; step = search.next(answer)) {
    if (step.done === true) return { palette, cells, found: step.value, isAlike: false };
    const cell = cellOf(step.value);
    const own = countsOf(cell.address);
    const isOut = cell.refused !== undefined || !isWorthAsking(own);
    const like = isOut ? 'unresolved' : decideResemblance(tallyColours(own), ends, mostRuns);
    const next = like === undefined ? want(cell, 1) : undefined;
    add(step.value, like);
    if (next !== undefined) return { palette, cells, isAlike: false, next };
    // What neither the budget nor the saved runs allow is not resolved either.
    answer = like ?? 'unresolved';
  }
}

/** What has to be asked of the ends before the cells between them: the green one once, the red one until it is red. */
function askEnd(
  { red, green }: { readonly red: Tally; readonly green: Tally },
  mostRuns: number,
): { readonly end: 'red' | 'green'; readonly runs: number } | 'alike' | undefined {
  if (green.of === 0) return { end: 'green', runs: 1 };
  if (red.count === 0) return red.of >= mostRuns ? 'alike' : { end: 'red', runs: 1 };
  const wanted = Math.ceil(red.of / red.count) + 2;
  if (green.of < wanted) return { end: 'green', runs: wanted - green.of };
  return (red.count + 1) / (red.of + 2) <= (green.count + 1) / (green.of + 2) ? 'alike' : undefined;
}
