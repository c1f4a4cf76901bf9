import { InternalError } from '../../model/errors/errors.ts';
import { probabilityHigher, type Tally } from '../../model/rates/rates.ts';
import { sum } from '../../model/text/sum.ts';
import { entropy, predictReds, weighChangePoints, type ChangePoint } from './change-point.ts';

/** A version of a search. */
export interface SearchedVersion extends Tally {
  /** Whether it can be run: no rule refuses it, it builds, and its cells get a verdict. */
  readonly isObservable: boolean;
  /** Runs that took their time and told nothing: no verdict, or an end of neither side. */
  readonly unusable: number;
  /** Until it can be run, in seconds: what is built, baked and started. 0 for a world that is up. */
  readonly prepareSeconds: number;
  /** One run, in seconds. */
  readonly runSeconds: number;
}

/** Versions that the outcome may have changed at: places in the list, first and last. */
interface PlaceSpan {
  readonly first: number;
  readonly last: number;
  /** How sure we are, from 0 to 1. */
  readonly probability: number;
}

/** So many runs of a version, and what they are estimated to take. */
interface RunStep {
  readonly kind: 'run';
  readonly place: number;
  readonly runs: number;
  readonly seconds: number;
}

/** What a search does next. */
type SearchStep =
  | RunStep
  | {
      readonly kind: 'stop';
      readonly why: 'sure' | 'ends-alike' | 'budget' | 'nothing-left';
      readonly answer: PlaceSpan;
    };

/** When a search ends. */
interface SearchEnding {
  /** From 0 to 1. */
  readonly confidence: number;
  /** What is left of the budget; Infinity without one. */
  readonly secondsLeft: number;
}

/** A world that is up is asked in batches, for most of the cost is bringing it up. */
const BATCHES = [1, 2, 4, 8] as const;

/** No version is worth more runs: the rates are known by then, and chance is not what is missing. */
const MAX_RUNS = 64;

/**
 * Chooses which version to run next, and how often: the one that is expected to take away the most uncertainty per
 * second. Or says that the search is over.
 *
 * @param versions from the good end to the bad one, at least two.
 */
export function chooseStep(
  versions: readonly SearchedVersion[],
  { confidence, secondsLeft }: SearchEnding,
): SearchStep {
  const points = weighChangePoints(versions);
  const answer = findSpan(versions, points, withMargin(confidence));
  if (!areEndsSeen(versions)) return { kind: 'stop', why: 'nothing-left', answer };
  const end = askEnds(versions);
  if (end === 'alike') return { kind: 'stop', why: 'ends-alike', answer };
  if (end !== undefined && end.seconds > secondsLeft) return { kind: 'stop', why: 'budget', answer };
  if (end !== undefined) return end;
  const isOne = countAnswers(versions, answer) === 1;
  if (isOne) {
    const neighbour = confirmNeighbour(versions, points, answer);
    if (neighbour === undefined) return { kind: 'stop', why: 'sure', answer };
    if (neighbour.seconds > secondsLeft) return { kind: 'stop', why: 'budget', answer };
    return neighbour;
  }
  const steps = listSteps(versions, points);
  if (steps.length === 0) return { kind: 'stop', why: 'nothing-left', answer };
  const affordable = steps.filter(({ seconds }) => seconds <= secondsLeft);
  if (affordable.length === 0) return { kind: 'stop', why: 'budget', answer };
  const best = affordable.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
  return { kind: 'run', place: best.place, runs: best.runs, seconds: best.seconds };
}

/**
 * The model believes more than it may when a bug shows rarely: a bad version's rate is asked of the same runs that choose
 * the place. In the simulated lab half of the doubt keeps the promise (`npm run bench bisect`).
 */
function withMargin(confidence: number): number {
  return 1 - (1 - confidence) / 2;
}

/** A last good version that is bad looks good in all of its runs by a chance of less than this. */
const CHANCE = 0.01;

/**
 * The run that is still wanted of the last good version and of the first bad one; undefined when both are confirmed. A bug
 * that shows rarely needs many runs that do not show it.
 */
function confirmNeighbour(
  versions: readonly SearchedVersion[],
  points: readonly ChangePoint[],
  { first, last }: PlaceSpan,
): RunStep | undefined {
  const point = points.find(({ place }) => place === last);
  const [before, after] = [versions.findLastIndex((one, at) => at < first && one.isObservable), last];
  const [good, bad] = [versions[before], versions[after]];
  if (point === undefined || good === undefined || bad === undefined) return undefined;
  const wanted = countConfirming(point);
  if (good.of < wanted) return planRuns(before, good, wanted - good.of);
  if (!bad.isObservable || bad.count > 0 || bad.of >= wanted) return undefined;
  return planRuns(after, bad, wanted - bad.of);
}

/** So many runs that are all green say that a version is not bad, whatever chance does, if the change is at this point. */
export function countConfirming({ bad }: ChangePoint): number {
  const rate = bad.red / (bad.red + bad.green);
  return Math.min(MAX_RUNS, Math.ceil(Math.log(CHANCE) / Math.log(1 - rate)));
}

/** The largest batch of a version that is not more than what is wanted of it. */
function planRuns(place: number, { prepareSeconds, runSeconds }: SearchedVersion, wanted: number): RunStep {
  const runs = Math.max(...BATCHES.filter((batch) => batch <= Math.max(1, wanted)));
  return { kind: 'run', place, runs, seconds: prepareSeconds + runs * runSeconds };
}

/** Whether each end was observed or may be: one that never was says not what its colour is, so that no run has one. */
function areEndsSeen(versions: readonly SearchedVersion[]): boolean {
  const [good, bad] = [versions[0], versions.at(-1)];
  return [good, bad].every((end) => end !== undefined && (end.isObservable || end.of > 0));
}

/** A bad end that is never red in so many runs is not bad, or too rarely so to be searched for. */
const MOST_RUNS_OF_END = 32;

/**
 * What has to be asked of the ends before the versions between them: the good end once, which says what green is; the bad
 * end until it is red; the good end as often again. A line whose last version is not known to be bad has no end to ask.
 */
function askEnds(versions: readonly SearchedVersion[]): RunStep | 'alike' | undefined {
  const [good, bad] = [versions[0], versions.at(-1)];
  if (good === undefined || bad === undefined) throw new InternalError('a search needs two versions');
  if (!good.isObservable || !bad.isObservable) return undefined;
  if (good.of === 0) return planRuns(0, good, 1);
  if (bad.count === 0 && bad.of < MOST_RUNS_OF_END)
    return planRuns(versions.length - 1, bad, Math.min(bad.of, MOST_RUNS_OF_END - bad.of));
  if (bad.count === 0) return 'alike';
  // As often as the bad end needs to be red, and twice more.
  const wanted = Math.ceil(bad.of / bad.count) + 2;
  if (good.of < wanted) return planRuns(0, good, wanted - good.of);
  const difference = probabilityHigher(bad, good);
  if (difference >= 0.9) return undefined;
  // Chance may have made them alike: the one that was run less is asked again.
  const [place, end] = good.of <= bad.of ? [0, good] : [versions.length - 1, bad];
  if (end.of < MOST_RUNS_OF_END) return planRuns(place, end, MOST_RUNS_OF_END - end.of);
  return difference < 0.5 ? 'alike' : undefined;
}

/**
 * The shortest span of places that holds the change with this confidence. Versions that cannot be observed belong
 * together with the next one that can: nothing tells them apart.
 */
export function findSpan(
  versions: readonly SearchedVersion[],
  points: readonly ChangePoint[],
  confidence: number,
): PlaceSpan {
  const groups = groupPlaces(versions, points);
  // Rounding may leave the sum of all below a confidence of nearly 1.
  const enough = Math.min(confidence, 1 - 1e-9);
  let best: { span: PlaceSpan; length: number } | undefined;
  for (const [from, { first }] of groups.entries()) {
    let probability = 0;
    for (const [more, group] of groups.slice(from).entries()) {
      probability += group.probability;
      if (probability < enough) continue;
      const length = more + 1;
      const isBetter =
        best === undefined ||
        length < best.length ||
        (length === best.length && probability > best.span.probability);
      if (isBetter)
        best = { span: { first, last: group.last, probability: Math.min(1, probability) }, length };
      break;
    }
  }
  if (best === undefined) throw new InternalError('the probabilities of all places do not add up to 1');
  return best.span;
}

/** Places that no run can tell apart: each ends with a version that can be observed. */
function groupPlaces(versions: readonly SearchedVersion[], points: readonly ChangePoint[]): PlaceSpan[] {
  const groups: PlaceSpan[] = [];
  let open: PlaceSpan | undefined;
  for (const { place, probability } of points) {
    open =
      open === undefined
        ? { first: place, last: place, probability }
        : { first: open.first, last: place, probability: open.probability + probability };
    if (versions[place]?.isObservable !== true && place < versions.length - 1) continue;
    groups.push(open);
    open = undefined;
  }
  return groups;
}

/** How many answers a span holds: each version that can be observed ends one. */
function countAnswers(versions: readonly SearchedVersion[], { first, last }: PlaceSpan): number {
  const end = versions.length - 1;
  return versions
    .slice(first, last + 1)
    .filter(({ isObservable }, index) => isObservable || first + index === end).length;
}

interface RatedStep {
  readonly place: number;
  readonly runs: number;
  readonly seconds: number;
  /** Bits per second. */
  readonly perSecond: number;
}

function listSteps(versions: readonly SearchedVersion[], points: readonly ChangePoint[]): RatedStep[] {
  const now = entropy(points.map(({ probability }) => probability));
  const known = new Map<number, readonly number[]>();
  const gainOf = (place: number, runs: number): number => {
    const left = known.get(runs) ?? expectEntropies(points, runs);
    known.set(runs, left);
    return now - (left[place] ?? now);
  };
  return BATCHES.flatMap((runs) =>
    versions.flatMap((version, place) => {
      const { isObservable, of, unusable, prepareSeconds, runSeconds } = version;
      if (!isObservable || of + unusable + runs > MAX_RUNS) return [];
      const seconds = prepareSeconds + runs * runSeconds;
      const gain = expectGain(version, runs, (seen) => gainOf(place, seen));
      return gain > 1e-9 ? [{ place, runs, seconds, perSecond: gain / Math.max(seconds, 1e-3) }] : [];
    }),
  );
}

/**
 * What so many runs of a version are expected to tell: a run that tells nothing takes its time all the same. The share of
 * runs that do is what it was so far; the first one is expected to.
 */
function expectGain(
  { of, unusable }: Pick<SearchedVersion, 'of' | 'unusable'>,
  runs: number,
  gainOf: (seen: number) => number,
): number {
  if (unusable === 0) return gainOf(runs);
  const chances = predictReds({ red: of + 1, green: unusable }, runs);
  return sum(chances.map((chance, seen) => (seen === 0 ? 0 : chance * gainOf(seen))));
}

/**
 * The uncertainty that is expected to be left after so many runs of each version, in bits. A version is bad if the change
 * is at it or before, and good otherwise: sums over the places before and behind it serve every version.
 */
function expectEntropies(points: readonly ChangePoint[], runs: number): number[] {
  const sides = points.map(({ good, bad }) => ({
    good: predictReds(good, runs),
    bad: predictReds(bad, runs),
  }));
  const expected = Array.from({ length: points.length + 1 }, () => 0);
  for (let reds = 0; reds <= runs; reds++) {
    const weighSide = (side: 'good' | 'bad'): number[] =>
      points.map(({ probability }, index) => probability * (sides[index]?.[side][reds] ?? 0));
    const [good, bad] = [weighSide('good'), weighSide('bad')];
    let weight = sum(good);
    let logs = sum(good.map(timesLog));
    for (let place = 0; place < expected.length; place++) {
      expected[place] = (expected[place] ?? 0) + timesLog(weight) - logs;
      weight += (bad[place] ?? 0) - (good[place] ?? 0);
      logs += timesLog(bad[place] ?? 0) - timesLog(good[place] ?? 0);
    }
  }
  return expected;
}

function timesLog(value: number): number {
  return value > 0 ? value * Math.log2(value) : 0;
}
