import { sum } from '../../model/text/sum.ts';
import { compareValues } from '../../model/components/value-order.ts';
import type { BisectHead, BisectLine, SearchedRun, SearchedValue } from '../../model/saved/search.ts';
import { weighChangePoints } from './change-point.ts';
import { findMisfits } from './check-model.ts';
import {
  countColours,
  isWorthAsking,
  readPalette,
  tallyColours,
  type ColourCounts,
  type EndPalette,
} from './colours.ts';
import { chooseStep, countConfirming, type SearchedVersion } from './next-step.ts';
import { growForest, listLineSearches, type LineSearch } from './release-lines.ts';

/** Runs that are wanted. */
interface WantedRuns {
  readonly value: string;
  readonly runs: number;
  /** In a freshly built world. */
  readonly isFresh: boolean;
  readonly seconds: number;
}

/** What a search knows. */
export interface SearchState {
  readonly palette: EndPalette;
  readonly counts: ReadonlyMap<string, ColourCounts>;
  /** The lines that were searched; the last one may be open. */
  readonly lines: readonly BisectLine[];
  /** Undefined: the search is over. */
  readonly next: WantedRuns | undefined;
}

/** How sure a search has to be. */
const CONFIDENCE = 0.95;

/** Without a budget every run is affordable, but one of saved runs that are used up. */
const NO_BUDGET = Number.MAX_VALUE;

/** Fresh runs without an observation after which a version is not run again for confirming. */
const MOST_FRESH_WITHOUT = 3;

/** No run without a colour yet. */
const NO_RUNS: ColourCounts = { red: 0, green: 0, other: 0, none: 0 };

/**
 * Says what all runs so far come to, and which ones are wanted next. It is reckoned of the runs only, so that a search that
 * was killed goes on as if it had not been, and a saved one is answered again without a machine.
 */
export function searchVersions(head: BisectHead, seen: readonly SearchedRun[]): SearchState {
  const { good, bad, what } = head;
  const palette = readPalette(seen, { good, bad, what });
  const search: Search = {
    head,
    seen,
    palette,
    counts: countColours(seen, palette, what),
    values: new Map(head.values.map((value) => [value.value, value])),
  };
  const forest = growForest([...search.values.keys()], good, bad);
  const trunk = searchLine(search, forest.trunk);
  const lines = [trunk.line];
  const known = { palette, counts: search.counts };
  const { lastGood, firstBad, outcome } = trunk.line;
  if (outcome !== 'found' || lastGood === undefined || firstBad === undefined)
    return { ...known, lines, next: trunk.next };
  const [before = good, after = bad] = [lastGood, firstBad].toSorted(compareValues);
  for (const more of listLineSearches(forest, { before, after, all: head.branches })) {
    const found = searchBranch(search, more);
    lines.push(found.line);
    if (found.next !== undefined) return { ...known, lines, next: found.next };
  }
  return { ...known, lines, next: undefined };
}

/** Whether the good end is the newer one: then the search is for a fix. */
export function isFixSearched({ good, bad }: Pick<BisectHead, 'good' | 'bad'>): boolean {
  return compareValues(good, bad) > 0;
}

interface Search {
  readonly head: BisectHead;
  readonly seen: readonly SearchedRun[];
  readonly palette: EndPalette;
  readonly counts: ReadonlyMap<string, ColourCounts>;
  readonly values: ReadonlyMap<string, SearchedValue>;
}

interface SearchedLine {
  readonly line: BisectLine;
  readonly next?: WantedRuns | undefined;
}

/** A line whose last version is not known to be of the other side: it is asked first. */
function searchBranch(search: Search, { line, isClosed }: LineSearch): SearchedLine {
  const isFix = isFixSearched(search.head);
  const oriented = isFix ? line.toReversed() : line;
  if (isClosed) return searchLine(search, oriented);
  const last = line.at(-1) ?? '';
  const { red, green } = search.counts.get(last) ?? NO_RUNS;
  const wanted = countWanted(search, search.head.good, search.head.bad);
  const turned = isFix ? green >= wanted && red === 0 : red > 0;
  if (turned) return searchLine(search, oriented);
  const open = emptyLine(oriented, 'open');
  const isDecided = isFix ? red > 0 : green >= wanted;
  if (isDecided) return { line: { ...open, outcome: 'unchanged', among: [], probability: CONFIDENCE } };
  const version = describe(search, last);
  if (!version.isObservable) return { line: { ...open, outcome: 'range' } };
  return stepOf(search, open, { value: last, runs: Math.max(1, wanted - red - green), isFresh: false });
}

/** Runs of a version that say on which side it is, from what is known of the ends. */
function countWanted({ counts }: Search, good: string, bad: string): number {
  const [point] = weighChangePoints([good, bad].map((value) => tallyColours(counts.get(value) ?? NO_RUNS)));
  return point === undefined ? 1 : countConfirming(point);
}

/** @param line from the good end to the bad one. */
function searchLine(search: Search, line: readonly string[]): SearchedLine {
  const versions = line.map((value) => describe(search, value));
  const step = chooseStep(versions, { confidence: CONFIDENCE, secondsLeft: secondsLeft(search) });
  if (step.kind === 'run') {
    const value = line[step.place] ?? '';
    return stepOf(search, emptyLine(line, 'open'), { value, runs: step.runs, isFresh: false });
  }
  const { first, last, probability } = step.answer;
  const misfits = findMisfits(versions).map(({ place }) => line[place] ?? '');
  const before = versions.findLastIndex((version, at) => at < first && version.isObservable);
  const found: BisectLine = {
    ...emptyLine(line, 'range'),
    lastGood: line[before],
    firstBad: line[last],
    among: line.slice(first, last + 1),
    probability,
    misfits,
  };
  if (step.why === 'ends-alike') return { line: { ...emptyLine(line, 'ends-alike'), probability } };
  if (step.why !== 'sure') return { line: misfits.length > 0 ? severalOf(found) : found };
  if (misfits.length > 0) return { line: severalOf(found) };
  const sure: BisectLine = { ...found, outcome: 'found', sameBytes: areSameBytes(search, found) };
  if (search.head.saved !== undefined) return { line: sure };
  return confirm(search, versions, sure, last);
}

/** More than one change: then none is named. */
function severalOf({ values, probability, misfits }: BisectLine): BisectLine {
  return { ...emptyLine(values, 'several-changes'), probability, misfits };
}

/** Runs both neighbours in worlds that are built for it: what a world has kept from earlier cells is not the difference. */
function confirm(
  search: Search,
  versions: readonly SearchedVersion[],
  sure: BisectLine,
  place: number,
): SearchedLine {
  const point = weighChangePoints(versions).find((one) => one.place === place);
  const wanted = point === undefined ? 1 : countConfirming(point);
  const { what } = search.head;
  const fresh = countColours(
    search.seen.filter(({ isFresh }) => isFresh),
    search.palette,
    what,
  );
  const [good, bad] = [sure.lastGood, sure.firstBad].map((value) => fresh.get(value ?? '') ?? NO_RUNS) as [
    ColourCounts,
    ColourCounts,
  ];
  const isGivenUp = ({ other, none }: ColourCounts): boolean => other + none >= MOST_FRESH_WITHOUT;
  const asks: WantedRuns[] = [];
  const ask = (value: string | undefined, runs: number): void => {
    if (value === undefined) return;
    const cost: AskedCost = search.values.get(value) ?? NO_COST;
    const seconds = (cost.freshSeconds ?? cost.prepareSeconds) + runs * cost.runSeconds;
    asks.push({ value, runs, isFresh: true, seconds });
  };
  if (good.green + good.red < wanted && !isGivenUp(good)) ask(sure.lastGood, wanted - good.green - good.red);
  if (bad.red === 0 && bad.green < wanted && !isGivenUp(bad)) ask(sure.firstBad, wanted - bad.green);
  const [next] = asks;
  if (next === undefined)
    return { line: { ...sure, confirmed: good.green >= wanted && good.red === 0 && bad.red > 0 } };
  if (next.seconds > secondsLeft(search)) return { line: sure };
  return { line: { ...sure, outcome: 'open' }, next };
}

type AskedCost = Pick<SearchedValue, 'prepareSeconds' | 'againSeconds' | 'freshSeconds' | 'runSeconds'>;

const NO_COST: AskedCost = { prepareSeconds: 0, againSeconds: 0, runSeconds: 0 };

function stepOf(
  search: Search,
  line: BisectLine,
  wanted: Pick<WantedRuns, 'value' | 'runs' | 'isFresh'>,
): SearchedLine {
  const { prepareSeconds, runSeconds } = describe(search, wanted.value);
  const seconds = prepareSeconds + wanted.runs * runSeconds;
  if (seconds > secondsLeft(search)) return { line: { ...line, outcome: 'range' } };
  return { line, next: { ...wanted, seconds } };
}

function emptyLine(values: readonly string[], outcome: BisectLine['outcome']): BisectLine {
  return {
    values: [...values],
    outcome,
    among: values.slice(1),
    probability: 1,
    confirmed: false,
    misfits: [],
    sameBytes: false,
  };
}

/** A version as the search reckons with it. Saved runs that are used up cannot be had at any price. */
function describe({ head, counts, seen, values }: Search, value: string): SearchedVersion {
  const cost = values.get(value);
  const own = counts.get(value) ?? NO_RUNS;
  const used = seen.filter((run) => run.value === value).length;
  const { prepareSeconds, againSeconds, runSeconds } = cost ?? NO_COST;
  // A world of which no run was ever observed may not have come up: it has to be paid for again.
  const hasRun = own.red + own.green + own.other > 0;
  const isUsedUp = head.saved !== undefined && used >= (cost?.trials ?? 0);
  return {
    ...tallyColours(own),
    unusable: own.other + own.none,
    isObservable: cost !== undefined && cost.refused === undefined && isWorthAsking(own),
    prepareSeconds: isUsedUp ? Infinity : hasRun ? againSeconds : prepareSeconds,
    runSeconds,
  };
}

function secondsLeft({ head, seen }: Search): number {
  if (head.budgetSeconds === undefined) return NO_BUDGET;
  return head.budgetSeconds - sum(seen.map(({ seconds }) => seconds));
}

/** Whether all programs of both neighbours are known to be the same bytes: then nothing changed between them. */
function areSameBytes({ seen }: Search, { lastGood, firstBad }: BisectLine): boolean {
  const [one, other] = [lastGood, firstBad].map(
    (value) => seen.find((run) => run.value === value && run.bytes !== undefined)?.bytes,
  );
  return one !== undefined && one === other;
}
