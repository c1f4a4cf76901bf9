import type { MeasureBound, MeasureResult } from '../measures/measure.ts';
import { builtInRow } from '../measures/measure-table.ts';
import type { Compared } from './repro.ts';

/** What was measured, as far as it tells the unit of a measure. */
export type MeasuredUnits = readonly Pick<MeasureResult, 'measure' | 'unit'>[];

/** The unit of a measure: that of its result, else of the built-in one; empty for a count, and when nobody knows. */
export function unitOf(measure: string, results: MeasuredUnits = []): string {
  return results.find((result) => result.measure === measure)?.unit ?? builtInRow(measure)?.unit ?? '';
}

/** `37`, `12.5 ms`, `29.8 a minute`: a number of a measure, rounded for a reader. */
export function describeNumber(unit: string, value: number, statistic?: string): string {
  const number = String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
  return [number, ...(unit === '' ? [] : [unit]), ...(statistic === 'slope' ? ['a minute'] : [])].join(' ');
}

/** What must hold of the number, without what it is of: `at least 40, by 60 s`. */
export function describeLimits(bound: MeasureBound, unit: string): string {
  const { statistic, atLeast, atMost, between, bySeconds } = bound;
  const spell = (value: number): string => describeNumber(unit, value, statistic);
  const limits = [
    ...(atLeast === undefined ? [] : [`at least ${spell(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${spell(atMost)}`]),
    ...(between === undefined ? [] : [`between ${spell(between[0])} and ${spell(between[1])}`]),
  ];
  return [...limits, ...(bySeconds === undefined ? [] : [`by ${bySeconds} s`])].join(', ');
}

/** The whole of it, without its reason: `last zombies at least 40, by 60 s`. */
export function describeBound(bound: MeasureBound, unit: string): string {
  return `${bound.statistic} of ${bound.measure} ${describeLimits(bound, unit)}`;
}

/** `slope of zombies 58 a minute beside 0 a minute, at least 10 times as much wanted`. */
export function describeComparison(
  { measure, statistic, affected, fixed, ratioAtLeast }: Compared,
  unit: string,
): string {
  const spell = (value: number | null): string =>
    value === null ? 'unknown' : describeNumber(unit, value, statistic);
  return `${statistic} of ${measure} ${spell(affected)} beside ${spell(fixed)}, at least ${ratioAtLeast} times as much wanted`;
}
