import { describeBound, describeLimits, describeNumber } from '../../model/saved/describe-measure.ts';
import type { Mismatch } from '../../model/saved/formats.ts';
import type { BoundResult, MeasureBound, MeasureResult } from '../../model/measures/measure.ts';
import { isPrintedBy, MEASURE_ROWS, MEASURES, type MeasureName } from '../../model/measures/measure-table.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { Point, Series } from './point.ts';
import { readSeries } from './series.ts';
import { medianInterval, statisticOf } from './statistics.ts';
import { isWithin } from '../records/times.ts';

/** What was measured in a cell, and what it means for its verdict. */
export interface Measured {
  /** The result of every measure that was expected or sampled, in the order of their table. */
  readonly results: MeasureResult[];
  /** Bounds that do not hold. */
  readonly mismatches: Mismatch[];
  /** Why nobody knows whether the others hold; undefined when all of them are known. */
  readonly undecided: string | undefined;
}

/** Reads what was measured, and compares it with what had to be. */
export function judgeMeasures(file: CaseFile): Measured {
  const { expected, samplers = [] } = file.record;
  const bounds = expected.measures ?? [];
  const wanted = MEASURES.filter(
    (name) =>
      bounds.some(({ measure }) => measure === name) ||
      samplers.some(({ script }) => isPrintedBy(name, script)),
  );
  const judged = wanted.map((measure) => {
    const series = readSeries(file, measure);
    const own = bounds.filter((bound) => bound.measure === measure);
    return { measure, series, own: own.map((bound) => ({ bound, result: judgeBound(file, series, bound) })) };
  });
  const all = judged.flatMap(({ own }) => own);
  const open = all.filter(({ result }) => result.holds === null);
  return {
    results: judged.map(({ measure, series, own }) =>
      summarize(
        measure,
        series.points,
        own.map(({ result }) => result),
      ),
    ),
    mismatches: all
      .filter(({ result }) => result.holds === false)
      .map(({ bound, result }) => describeMismatch(bound, result)),
    undecided:
      open.length === 0
        ? undefined
        : open.map(({ bound, result }) => `${describeBound(bound)}: ${result.why ?? ''}`).join('; '),
  };
}

function describeMismatch({ measure }: MeasureBound, { statistic, expected, value }: BoundResult): Mismatch {
  return {
    field: `measures.${measure}`,
    expected: `${statistic} ${expected}`,
    observed: value === undefined ? 'nothing' : `${statistic} ${describeNumber(measure, value, statistic)}`,
  };
}

function summarize(measure: MeasureName, points: readonly Point[], bounds: BoundResult[]): MeasureResult {
  const values = points.map(({ value }) => value);
  const interval = medianInterval(values);
  const field = <Name extends 'last' | 'max' | 'median' | 'slope'>(name: Name): object => {
    const value = statisticOf(name, points);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    measure,
    unit: MEASURE_ROWS[measure].unit,
    n: points.length,
    ...field('last'),
    ...field('max'),
    ...field('median'),
    ...(interval === undefined ? {} : { medianBetween: { ...interval, method: 'order-statistics-95' } }),
    ...field('slope'),
    points: points.map(({ ref, value }) => ({
      at: ref.at,
      value,
      source: ref.source,
      file: ref.file,
      ...(ref.line === undefined ? {} : { line: ref.line }),
    })),
    bounds,
  };
}

/** A bound is judged only where all that could speak against it was seen: whatever is missing leaves it open. */
function judgeBound(file: CaseFile, series: Series, bound: MeasureBound): BoundResult {
  const { statistic, bySeconds, reason, samples } = bound;
  const startedAt = file.end?.startedAt ?? file.view?.startedAt;
  const until = bySeconds === undefined || startedAt === undefined ? Infinity : startedAt + bySeconds * 1000;
  const points = series.points.filter(({ at }) => at <= until);
  const value = statisticOf(statistic, points);
  const said = { statistic, expected: describeLimits(bound), reason };
  const why =
    bySeconds !== undefined && startedAt === undefined
      ? 'nobody knows when the container started'
      : (series.missingUntil(until) ?? describeTooFew(points.length, series.isEveryChange ? 1 : samples));
  if (why !== undefined || value === undefined)
    return { ...said, holds: null, why: why ?? 'no slope: all of it was measured at one moment' };
  return { ...said, value, holds: isWithinBound(bound, value) };
}

function describeTooFew(n: number, samples: number): string | undefined {
  if (n >= samples) return undefined;
  return n === 0 ? 'nothing was measured' : `measured ${n} times, which is fewer than ${samples}`;
}

function isWithinBound({ atLeast, atMost, between }: MeasureBound, value: number): boolean {
  return isWithin(value, atLeast ?? between?.[0], atMost ?? between?.[1], { unknown: 'counts' });
}
