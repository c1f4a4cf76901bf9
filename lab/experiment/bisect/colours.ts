import type { Tally } from '../../model/rates/rates.ts';
import { isEndField, type EndField } from '../../model/saved/end-fields.ts';
import { findSearchedMeasure, spellSearchedNumber, spellSide } from '../../model/saved/searched-measure.ts';

/** How a victim ended, field by field; a field that is absent is not known, or not meant. */
type EndFacts = { readonly [Field in EndField]?: string | undefined } & {
  /** Numbers of the measures that are asked for, by `zombies.max`. */
  readonly measured?: Readonly<Record<string, number>> | undefined;
  /** Why others were not taken. */
  readonly notMeasured?: Readonly<Record<string, string>> | undefined;
};

/** One run of a version. */
export interface BisectObservation {
  /** The value of the axis, as it is written. */
  readonly value: string;
  /** Undefined: no observation, and `why`. */
  readonly end?: EndFacts | undefined;
  readonly why?: string | undefined;
}

/** What a run of a version counts as. */
type Colour = 'red' | 'green' | 'other' | 'none';

/** How the two ends of a search end, in one line each: `killer=memcg-oom level=container`. */
export interface EndPalette {
  readonly green?: string | undefined;
  readonly red?: string | undefined;
}

/** An end in one line, of what counts: `killer=none zombies.max>=40`. */
export function spellEnd(end: EndFacts, what: readonly string[]): string {
  return what.flatMap((word) => spellPart(end, word)).join(' ');
}

function spellPart(end: EndFacts, word: string): string[] {
  if (isEndField(word)) return end[word] === undefined ? [] : [`${word}=${end[word]}`];
  const bound = findSearchedMeasure(word);
  if (bound === undefined) return [];
  const name = spellSearchedNumber(bound);
  const value = end.measured?.[name];
  if (value !== undefined) return [spellSide(bound, value)];
  return [`${name} not taken: ${end.notMeasured?.[name] ?? 'the run has no such measure'}`];
}

/** Whether every measure that counts was taken: without one a run is like neither end. */
function isMeasured(end: EndFacts, what: readonly string[]): boolean {
  return what.every((word) => {
    const bound = findSearchedMeasure(word);
    return bound === undefined || end.measured?.[spellSearchedNumber(bound)] !== undefined;
  });
}

/**
 * Says what red and green are: green is how the good end ends most often; red is how the bad end ends most often, green
 * aside. A run whose measure was not taken says nothing of either. It is read of the observations each time, so that it is
 * the same after a restart and years later.
 */
export function readPalette(
  observations: readonly BisectObservation[],
  { good, bad, what }: { readonly good: string; readonly bad: string; readonly what: readonly string[] },
): EndPalette {
  const endsOf = (wanted: string): string[] =>
    observations.flatMap(({ value, end }) =>
      value === wanted && end !== undefined && isMeasured(end, what) ? [spellEnd(end, what)] : [],
    );
  const green = findMostFrequent(endsOf(good));
  return { green, red: findMostFrequent(endsOf(bad).filter((end) => end !== green)) };
}

/** Of those that are equally frequent the first. */
function findMostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** The colour of one run. What is neither end's way to end is of a third colour, which is reported and never folded in. */
function colourOf({ end }: BisectObservation, { green, red }: EndPalette, what: readonly string[]): Colour {
  if (end === undefined) return 'none';
  if (!isMeasured(end, what)) return 'other';
  const text = spellEnd(end, what);
  if (text === green) return 'green';
  return text === red ? 'red' : 'other';
}

/** Runs of a version by colour. */
export type ColourCounts = Readonly<Record<Colour, number>>;

/** Counts the runs of each of these values by colour. */
export function countColours(
  observations: readonly BisectObservation[],
  palette: EndPalette,
  what: readonly string[],
): Map<string, ColourCounts> {
  const counts = new Map<string, Record<Colour, number>>();
  for (const observation of observations) {
    const own = counts.get(observation.value) ?? { red: 0, green: 0, other: 0, none: 0 };
    own[colourOf(observation, palette, what)] += 1;
    counts.set(observation.value, own);
  }
  return counts;
}

/** Red runs of red and green ones: what the search reckons with. */
export function tallyColours({ red, green }: ColourCounts): Tally {
  return { count: red, of: red + green };
}

/** After so many runs that are neither red nor green, and few that are, a version is not asked again. */
const MOST_UNUSABLE = 3;

/** Whether it is worth running a version again: one that does not build, or is always of a third colour, is not. */
export function isWorthAsking({ red, green, other, none }: ColourCounts): boolean {
  const unusable = other + none;
  return unusable < MOST_UNUSABLE || red + green >= unusable;
}
