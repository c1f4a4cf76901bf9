import { describeBound, describeLimits, describeNumber } from '../../model/saved/describe-measure.ts';
import type { Mismatch } from '../../model/saved/formats.ts';
import {
  FEWEST_SAMPLES,
  type BoundResult,
  type MeasureBound,
  type MeasureResult,
} from '../../model/measures/measure.ts';
import { findSavedRow, listMeasures } from '../../model/measures/declared-measure.ts';
import { isPrintedBy } from '../../model/measures/measure-table.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import type { Point, Series } from './point.ts';
import { readSeries } from './series.ts';
import { medianInterval, statisticOf } from './statistics.ts';
import { isWithin } from '../records/times.ts';

/** What was measured in a cell, and what it means for its verdict. */
export interface Measured {
  /** The result of every measure that was expected or sampled: as the samplers print them, then in the order of their table. */
  readonly results: MeasureResult[];
  /** Bounds that do not hold. */
  readonly mismatches: Mismatch[];
  /** Why nobody knows whether the others hold; undefined when all of them are known. */
  readonly undecided: string | undefined;
}

/** Reads what was measured, and compares it with what had to be. */
export function judgeMeasures(file: CellCase): Measured {
  const bounds = file.record.expected.measures ?? [];
  const judged = listWanted(file.record).map((measure) => {
    const series = readSeries(file, measure);
    const { unit = '', isEveryChange = false } = findSavedRow(measure, file.record) ?? {};
    const fewest = isEveryChange ? 1 : FEWEST_SAMPLES;
    const own = bounds.filter((bound) => bound.measure === measure);
    return {
      measure,
      series,
      unit,
      fewest,
      own: own.map((bound) => {
        // Cells saved by earlier versions carry a default that was meant for what is looked at now and then.
        const samples = isEveryChange ? fewest : (bound.samples ?? fewest);
        return { bound, unit, result: judgeBound(file, series, { ...bound, samples }, unit) };
      }),
    };
  });
  const all = judged.flatMap(({ own }) => own);
  const open = all.filter(({ result }) => result.holds === null);
  return {
    results: judged.map(({ measure, series, unit, fewest, own }) =>
      summarize(
        { measure, unit, fewest },
        series,
        own.map(({ result }) => result),
      ),
    ),
    mismatches: all
      .filter(({ result }) => result.holds === false)
      .map(({ bound, unit, result }) => describeMismatch(bound, unit, result)),
    undecided:
      open.length === 0
        ? undefined
        : open
            .map(({ bound, unit, result }) => `${describeBound(bound, unit)}: ${result.why ?? ''}`)
            .join('; '),
  };
}

/** Where a script prints a measure: its name is before a blank or a closing quote. Undefined when it does not. */
function findPrinted(measure: string, commands: string): number | undefined {
  return new RegExp(`(?<![\\w-])${measure}(?=[\\s"'])`).exec(commands)?.index;
}

/** The measures that are expected or sampled, in the order of the results. */
function listWanted({ expected, samplers = [], measures = {} }: CellRecord): string[] {
  const bounded = (expected.measures ?? []).map(({ measure }) => measure);
  const scripts = samplers.map(({ script }) => script);
  const names = new Set([...listMeasures(measures), ...bounded]);
  const wanted = [...names].filter(
    (name) => bounded.includes(name) || scripts.some((script) => isPrintedBy(name, script)),
  );
  const commands = scripts.join('\n').replaceAll(/^[ \t]*#.*$/gm, '');
  const place = (name: string): number => findPrinted(name, commands) ?? Infinity;
  return wanted.toSorted((one, other) =>
    place(one) < place(other) ? -1 : Number(place(one) > place(other)),
  );
}

function describeMismatch(
  { measure }: MeasureBound,
  unit: string,
  { statistic, expected, value }: BoundResult,
): Mismatch {
  return {
    field: `measures.${measure}`,
    expected: `${statistic} ${expected}`,
    observed: value === undefined ? 'nothing' : `${statistic} ${describeNumber(unit, value, statistic)}`,
  };
}

function summarize(
  { measure, unit, fewest }: Pick<MeasureResult, 'measure' | 'unit'> & { readonly fewest: number },
  series: Series,
  bounds: BoundResult[],
): MeasureResult {
  const { points } = series;
  const missing = describeMissing(series, { points, until: Infinity, samples: fewest });
  const values = points.map(({ value }) => value);
  const interval = medianInterval(values);
  const field = <Name extends 'last' | 'max' | 'median' | 'slope'>(name: Name): object => {
    const value = statisticOf(name, points);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    measure,
    unit,
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
    ...(missing === undefined ? {} : { missing }),
    bounds,
  };
}

/** A bound is judged only where all that could speak against it was seen: whatever is missing leaves it open. */
function judgeBound(
  file: CellCase,
  series: Series,
  bound: MeasureBound & { readonly samples: number },
  unit: string,
): BoundResult {
  const { statistic, bySeconds, reason, samples } = bound;
  const startedAt = file.end?.startedAt ?? file.view?.startedAt;
  const until = bySeconds === undefined || startedAt === undefined ? Infinity : startedAt + bySeconds * 1000;
  const points = series.points.filter(({ at }) => at <= until);
  const value = statisticOf(statistic, points);
  const said = { statistic, expected: describeLimits(bound, unit), reason };
  const why =
    bySeconds !== undefined && startedAt === undefined
      ? 'nobody knows when the container started'
      : describeMissing(series, { points, until, samples });
  if (why !== undefined || value === undefined)
    return { ...said, holds: null, why: why ?? 'no slope: all of it was measured at one moment' };
  return { ...said, value, holds: isWithinBound(bound, value) };
}

/** Why numbers until then may be missing, or are too few. */
function describeMissing(
  series: Series,
  { points, until, samples }: { points: readonly Point[]; until: number; samples: number },
): string | undefined {
  return series.missingUntil(until) ?? describeTooFew(points.length, samples);
}

function describeTooFew(n: number, samples: number): string | undefined {
  if (n >= samples) return undefined;
  return n === 0 ? 'nothing was measured' : `measured ${n} times, which is fewer than ${samples}`;
}

function isWithinBound({ atLeast, atMost, between }: MeasureBound, value: number): boolean {
  return isWithin(value, atLeast ?? between?.[0], atMost ?? between?.[1], { unknown: 'counts' });
}
