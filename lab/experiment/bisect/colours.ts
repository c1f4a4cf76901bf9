import type { Tally } from '../../model/rates/rates.ts';
import type { END_FIELDS } from '../../model/saved/end-fields.ts';

/** One of {@link END_FIELDS}. */
export type EndField = (typeof END_FIELDS)[number];

/** How a victim ended, field by field; a field that is absent is not known, or not meant. */
type EndFacts = { readonly [Field in EndField]?: string | undefined };

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

/** An end in one line, of the fields that count. */
export function spellEnd(end: EndFacts, what: readonly EndField[]): string {
  return what.flatMap((field) => (end[field] === undefined ? [] : [`${field}=${end[field]}`])).join(' ');
}

/**
 * Says what red and green are: green is how the good end ends most often; red is how the bad end ends most often, green
 * aside. It is read of the observations each time, so that it is the same after a restart and years later.
 */
export function readPalette(
  observations: readonly BisectObservation[],
  { good, bad, what }: { readonly good: string; readonly bad: string; readonly what: readonly EndField[] },
): EndPalette {
  const endsOf = (wanted: string): string[] =>
    observations.flatMap(({ value, end }) =>
      value === wanted && end !== undefined ? [spellEnd(end, what)] : [],
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
function colourOf({ end }: BisectObservation, { green, red }: EndPalette, what: readonly EndField[]): Colour {
  if (end === undefined) return 'none';
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
  what: readonly EndField[],
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
