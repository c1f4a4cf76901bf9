import { STATISTICS, type MeasureBound, type Statistic } from '../measures/measure.ts';
import { namesOf } from '../text/names-of.ts';

/**
 * A bound of a measure that tells one end of a search from another. `--what` has it as one word that no shell reads
 * otherwise, of the names that `expect.measures` of a scenario has: `zombies.max.atLeast=40`, `zombies.between=10:20`.
 */
export type SearchedMeasure = Pick<MeasureBound, 'measure' | 'statistic' | 'atLeast' | 'atMost' | 'between'>;

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;

/** What such a word looks like. */
export const SEARCHED_MEASURE = new RegExp(
  String.raw`^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(${namesOf(STATISTICS).join('|')}))?\.(?:(atLeast|atMost)=(${NUMBER})|between=(${NUMBER}):(${NUMBER}))$`,
);

/** The bound that a word is; undefined of any other word. */
export function findSearchedMeasure(word: string): SearchedMeasure | undefined {
  const found = SEARCHED_MEASURE.exec(word);
  if (found === null) return undefined;
  const [, measure = '', statistic = 'last', limit, value, low, high] = found;
  const of = { measure, statistic: statistic as Statistic };
  if (limit === undefined) return { ...of, between: [Number(low), Number(high)] };
  return limit === 'atLeast' ? { ...of, atLeast: Number(value) } : { ...of, atMost: Number(value) };
}

/** The name of the number that is compared: `zombies.max`. */
export function spellSearchedNumber({ measure, statistic }: SearchedMeasure): string {
  return `${measure}.${statistic}`;
}

/** On which side of its bound a number is, for a reader: `zombies.max>=40`, `zombies.max<40`. */
export function spellSide(bound: SearchedMeasure, value: number): string {
  const { atLeast, atMost, between } = bound;
  const name = spellSearchedNumber(bound);
  if (atLeast !== undefined) return `${name}${value >= atLeast ? '>=' : '<'}${atLeast}`;
  if (atMost !== undefined) return `${name}${value <= atMost ? '<=' : '>'}${atMost}`;
  const [low = -Infinity, high = Infinity] = between ?? [];
  return `${name} ${value >= low && value <= high ? 'within' : 'outside of'} ${low}:${high}`;
}
