import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type {
  BisectHead,
  BisectLine,
  BisectResult,
  SearchedRun,
  SearchNext,
} from '../../model/saved/search.ts';
import { sum } from '../../model/text/sum.ts';
import { compareValues } from '../../model/components/value-order.ts';
import { weighChangePoints } from './change-point.ts';
import { isWorthAsking, readPalette, spellEnd, tallyColours, type ColourCounts } from './colours.ts';
import { isFixSearched, searchVersions } from './search-versions.ts';

/** What a search of versions came to, as `--json` prints it. */
export function describeBisect(head: BisectHead, seen: readonly SearchedRun[]): BisectResult {
  const { lines, palette, counts, next } = searchVersions(head, seen);
  const isFix = isFixSearched(head);
  const values = head.values.toSorted(
    (one, other) => compareValues(one.value, other.value) * (isFix ? -1 : 1),
  );
  const first = values.find(({ value }) => value === next?.value);
  const result: BisectResult = {
    formatVersion: FORMAT_VERSION,
    search: head.search,
    address: head.address,
    axis: head.axis,
    good: head.good,
    bad: head.bad,
    isFix,
    isSaved: head.saved !== undefined,
    what: head.what,
    ends: { ...palette },
    outcome: outcomeOf(lines, next !== undefined),
    lines: lines.map((line, index) => withChances(line, counts, index === 0)),
    versions: values.map(({ value, refused }) => {
      const own = listColours(head, seen, value, counts.get(value));
      return refused === undefined ? { value, ...own } : { value, ...own, refused };
    }),
    runs: seen.length,
    seconds: Math.round(sum(seen.map(({ seconds }) => seconds))),
    notes: head.notes,
    mostSeconds: sum(values.map(({ prepareSeconds, runSeconds }) => prepareSeconds + 2 * runSeconds)),
  };
  if (head.bug !== undefined) result.bug = head.bug;
  if (head.budgetSeconds !== undefined) result.budgetSeconds = head.budgetSeconds;
  if (next !== undefined && first !== undefined) result.next = nextOf(first.address, next);
  return result;
}

function nextOf(address: string, { runs, isFresh, seconds }: Omit<SearchNext, 'address'>): SearchNext {
  return { address, runs, isFresh, seconds };
}

/** Where the outcome may change, if it does so once: of a branch that is not known before it was found there. */
function withChances(
  line: BisectLine,
  counts: ReadonlyMap<string, ColourCounts>,
  isTrunk: boolean,
): BisectLine {
  const { outcome, values } = line;
  const isOne = outcome === 'found' || (isTrunk && (outcome === 'range' || outcome === 'open'));
  if (!isOne) return line;
  const tallies = values.map((value) => {
    const own = counts.get(value);
    return own === undefined ? { count: 0, of: 0 } : tallyColours(own);
  });
  // The first version is of the good side: nothing changes there.
  return { ...line, chances: [0, ...weighChangePoints(tallies).map(({ probability }) => probability)] };
}

/** The main line decides; a branch that is open keeps the search open. */
function outcomeOf([trunk]: readonly BisectLine[], isOpen: boolean): BisectResult['outcome'] {
  if (isOpen || trunk === undefined || trunk.outcome === 'unchanged') return 'open';
  return trunk.outcome;
}

type Colours = Pick<
  BisectResult['versions'][number],
  'red' | 'green' | 'other' | 'none' | 'others' | 'why' | 'setAside'
>;

/** The runs of a value by colour, with the ends and reasons that are of no side. */
export function listColours(
  { what, ...head }: Pick<BisectHead, 'what' | 'good' | 'bad'>,
  seen: readonly SearchedRun[],
  value: string,
  counts: ColourCounts = { red: 0, green: 0, other: 0, none: 0 },
): Colours {
  const palette = readPalette(seen, { ...head, what });
  const own = seen.filter((run) => run.value === value);
  const ends = own.flatMap(({ end }) => (end === undefined ? [] : [spellEnd(end, what)]));
  return {
    ...counts,
    others: [...new Set(ends.filter((end) => end !== palette.green && end !== palette.red))],
    why: [...new Set(own.flatMap(({ why }) => (why === undefined ? [] : [why])))],
    ...(isWorthAsking(counts) ? {} : { setAside: true }),
  };
}
