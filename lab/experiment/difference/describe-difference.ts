import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { DifferenceHead, DifferenceResult, SearchedRun } from '../../model/saved/search.ts';
import { sum } from '../../model/text/sum.ts';
import { listColours } from '../bisect/describe-bisect.ts';
import { searchCells, type AskableCell, type DifferenceState } from './search-cells.ts';
import { boundTests } from './smallest-difference.ts';

/** What a search for a difference came to, as `--json` prints it. */
export function describeDifference(
  head: DifferenceHead,
  seen: readonly SearchedRun[],
  cellOf: (changed: readonly string[]) => AskableCell,
): DifferenceResult {
  const state = searchCells(head, seen, cellOf);
  const { found, palette, next, cells } = state;
  const ends = { what: head.what, good: head.green, bad: head.red };
  const result: DifferenceResult = {
    formatVersion: FORMAT_VERSION,
    search: head.search,
    red: head.red,
    green: head.green,
    what: head.what,
    ends: { ...palette },
    outcome: outcomeOf(state),
    differences: head.names.map((difference) => {
      if (found === undefined) return difference;
      const { name } = difference;
      const isNeeded = found.names.includes(name);
      if (!isNeeded) return { ...difference, isNeeded };
      const isNecessary = found.necessary.includes(name);
      return { ...difference, isNeeded, isUnsure: found.unsure.includes(name), isNecessary };
    }),
    cells: cells.map(({ address, changed, counts, like, refused }) => ({
      address,
      changed: [...changed],
      ...listColours(ends, seen, address, counts),
      says: refused ?? like ?? 'not decided',
    })),
    runs: seen.length,
    seconds: Math.round(sum(seen.map(({ seconds }) => seconds))),
    ...boundCost(head, cellOf),
  };
  if (head.budgetSeconds !== undefined) result.budgetSeconds = head.budgetSeconds;
  if (next !== undefined) result.next = { ...next, isFresh: false };
  return result;
}

/** What it may cost: as many cells as may be asked, each like the dearer end, run as often as they may be. */
function boundCost(
  { names, mostRuns }: DifferenceHead,
  cellOf: (changed: readonly string[]) => AskableCell,
): Pick<DifferenceResult, 'mostCells' | 'mostSeconds'> {
  const mostCells = Math.min(2 ** names.length, boundTests(names.length));
  const ends = [[], names.map(({ name }) => name)].map(cellOf);
  const dearest = Math.max(
    ...ends.map(({ prepareSeconds, runSeconds }) => prepareSeconds + mostRuns * runSeconds),
  );
  return { mostCells, mostSeconds: mostCells * dearest };
}

function outcomeOf({ found, next, isAlike }: DifferenceState): DifferenceResult['outcome'] {
  if (isAlike) return 'ends-alike';
  if (next !== undefined) return 'open';
  return found !== undefined && found.unsure.length === 0 ? 'found' : 'range';
}
