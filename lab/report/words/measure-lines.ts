import { describeNumber } from '../../model/saved/describe-measure.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { BoundResult, MeasureResult } from '../../model/measures/measure.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import { renderSparkline } from '../text/sparkline.ts';

const HOLDS: Readonly<Record<string, string>> = { true: 'holds', false: 'does NOT hold', null: 'open' };

/** A bound in one line: `last 58, expected at least 40, by 60 s: holds`. */
export function describeBoundResult({ unit }: MeasureResult, bound: BoundResult): string {
  const { statistic, value, expected, holds, why } = bound;
  const found = value === undefined ? 'unknown' : describeNumber(unit, value, statistic);
  return `${statistic} ${found}, expected ${expected}: ${HOLDS[String(holds)] ?? ''}${why === undefined ? '' : ` (${why})`}`;
}

/**
 * Its figures in one line: `30 times: last 58, largest 58, median 29 (16 to 44 with 95 %), slope 58 a minute`; `once: 3
 * s`.
 */
export function describeFigures(result: MeasureResult): string {
  const { unit, n, last, max, median, medianBetween, slope } = result;
  if (n === 0) return 'nothing was measured';
  const spell = (value: number): string => describeNumber(unit, value);
  if (n === 1 && last !== undefined) return `once: ${spell(last)}`;
  const between =
    medianBetween === undefined
      ? ''
      : ` (${spell(medianBetween.low)} to ${spell(medianBetween.high)} with 95 %)`;
  const parts = [
    ...(last === undefined ? [] : [`last ${spell(last)}`]),
    ...(max === undefined ? [] : [`largest ${spell(max)}`]),
    ...(median === undefined ? [] : [`median ${spell(median)}${between}`]),
    ...(slope === undefined ? [] : [`slope ${describeNumber(unit, slope, 'slope')}`]),
  ];
  return `${n} times: ${parts.join(', ')}`;
}

/** The figures of one measure of a cell, for a table; `-` for a cell that has none of it. */
export function figuresOf({ measures = [] }: Pick<CellResult, 'measures'>, name: string): string {
  const found = measures.find(({ measure }) => measure === name);
  return found === undefined ? '-' : describeFigures(found);
}

/** Where its first and its last number were read: `node-1/samples.jsonl:4 to :61`. */
function placesOf({ points }: MeasureResult): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  if (first.file !== last.file) return `${placeOf(first)} to ${placeOf(last)}`;
  return first.line === last.line || last.line === undefined
    ? placeOf(first)
    : `${placeOf(first)} to :${last.line}`;
}

/** Its name, its curve and where it was read, with its figures below; one number is not a curve. */
function headLines(result: MeasureResult): string[] {
  const { measure, points } = result;
  if (points.length === 1) return [`  ${measure}  ${describeFigures(result)}  ${placesOf(result)}`];
  const curve = renderSparkline(points.map(({ value }) => value));
  return [`  ${measure}  ${curve}  ${placesOf(result)}`.trimEnd(), `    ${describeFigures(result)}`];
}

/**
 * Renders all measures for a terminal: a curve, its figures, where it was read, and each bound with its reason. Measures
 * without an expectation are one line of names.
 */
export function measureLines({ measures = [] }: Pick<CellResult, 'measures'>): string[] {
  const isSilent = ({ n, bounds }: MeasureResult): boolean => n === 0 && bounds.length === 0;
  const silent = measures.filter(isSilent);
  const lines = measures
    .filter((result) => !isSilent(result))
    .flatMap((result) => [
      ...headLines(result),
      ...result.bounds.flatMap((bound) => [
        `    ${describeBoundResult(result, bound)}`,
        `      because ${bound.reason}`,
      ]),
    ]);
  if (silent.length === 0) return lines;
  return [...lines, `  nothing was measured of ${silent.map(({ measure }) => measure).join(', ')}`];
}

/** All that was measured without curves, one line a bound; of a measure without one its figures. */
export function measureTexts({ measures = [] }: Pick<CellResult, 'measures'>): string[] {
  return measures.flatMap((result) => {
    const { measure, bounds } = result;
    const said =
      bounds.length === 0
        ? [describeFigures(result)]
        : bounds.map((bound) => describeBoundResult(result, bound));
    return said.map((text) => `measure ${measure}: ${text} ${placesOf(result)}`.trimEnd());
  });
}
