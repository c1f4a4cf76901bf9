import { isOfPods, levelOf } from '../../model/evidence/cgroup-path.ts';
import { formatSeconds } from '../../model/text/format-duration.ts';
import { findSavedRow } from '../../model/measures/declared-measure.ts';
import { isPrintedBy, type BuiltInMeasure, type MeasureFrom } from '../../model/measures/measure-table.ts';
import type { Lost, SamplerRan } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Point, Series } from './point.ts';
import { readOomEvents, readPodWarnings } from './event-count-series.ts';
import { readHeartbeatGaps, readMemoryStalls, readNotReady } from './node-stall-series.ts';
import { readReadyLags } from './ready-lag-series.ts';
import { readPullSeconds, readPullsAtOnce, readPullWaits, readRegistryWaits } from './pull-series.ts';
import { compareTimes, isAtLeast, isAtMost } from '../records/times.ts';
import { largest } from '../../model/text/extremes.ts';

/** Longest time without a sample in which much may have happened; of a slow sampler so many of its intervals. */
const SILENCE = { ms: 10_000, intervals: 5 } as const;
/** How far from its end a stretch of time may have no sample. */
const LATE = { ms: 1_000, intervals: 2 } as const;

type ReadSeries = (file: CellCase) => Series;

/** How what no sampler prints is read. */
const READERS: Readonly<Record<Exclude<BuiltInMeasure, MeasureFrom<'sampler'>>, ReadSeries>> = {
  'forks-refused': readRefusals,
  'oom-events': readOomEvents,
  'pod-warnings': readPodWarnings,
  'pull-s': readPullSeconds,
  'pull-wait-s': readPullWaits,
  'registry-wait-s': readRegistryWaits,
  'pulls-at-once': readPullsAtOnce,
  'ready-lag-s': readReadyLags,
  'heartbeat-gap-s': readHeartbeatGaps,
  'node-not-ready-s': readNotReady,
  'full-stall-share': readMemoryStalls,
};

/** Reads one measure of a cell. */
export function readSeries(file: CellCase, measure: string): Series {
  const read = (READERS as Readonly<Partial<Record<string, ReadSeries>>>)[measure];
  return read === undefined ? readSamples(file, measure) : read(file);
}

/** What samplers printed: of the victim while its first process was in the container's cgroup, of its node since the cell was deployed. */
function readSamples(file: CellCase, measure: string): Series {
  const deployedAt = Date.parse(file.record.deployedAt);
  const isOfVictim = findSavedRow(measure, file.record)?.of === 'victim';
  const counts = ({ at, cgroup }: SamplerRan): boolean =>
    isOfVictim ? file.cgroups.holds(cgroup) : isAtLeast(at, deployedAt, { unknown: 'does not' });
  const runs = file.index
    .of('sampler-ran')
    .filter((run) => run.node === file.node)
    .toSorted((a, b) => compareTimes(a.at, b.at, { unknown: 'first' }));
  const points = runs.flatMap((run): Point[] => {
    const value = run.values[measure];
    return value === undefined || run.at === undefined || !counts(run)
      ? []
      : [{ at: run.at, value, ref: run.ref }];
  });
  return {
    points,
    missingUntil: (until) => findMissing(file, measure, { runs, points, until }),
  };
}

interface Sampled {
  readonly runs: readonly SamplerRan[];
  readonly points: readonly Point[];
  readonly until: number;
}

/** Why numbers of a sampler may be missing: it failed, its stream broke off, it was late, or it ended too early. */
function findMissing(file: CellCase, measure: string, { runs, points, until }: Sampled): string | undefined {
  const own = (file.record.samplers ?? []).filter(({ script }) => isPrintedBy(measure, script));
  const names = own.map(({ name }) => name);
  const failed = runs.filter(
    (run) =>
      names.includes(run.sampler) &&
      run.problem !== undefined &&
      isAtMost(run.at, until, { unknown: 'counts' }),
  );
  const [first] = failed;
  if (first?.problem !== undefined) {
    const times =
      failed.length === 1
        ? ''
        : ` (${failed.length} of ${runs.filter((run) => run.sampler === first.sampler).length} runs failed)`;
    return `sampler ${first.sampler}: ${first.problem}${times}, ${first.ref.file}:${first.ref.line ?? ''}`;
  }
  const lost = file.index.of('lost').find((loss) => isLostSample(loss, file, until));
  if (lost !== undefined) return `${lost.ref.file}: ${lost.why}`;
  const intervalMs = largest(
    own.map(({ everySeconds }) => everySeconds * 1000),
    0,
  );
  const times = points.map(({ at }) => at).filter((at) => at <= until);
  const silence = largest(
    times.map((at, index) => at - (times[index - 1] ?? at)),
    0,
  );
  if (silence > Math.max(SILENCE.ms, SILENCE.intervals * intervalMs))
    return `no sample for ${formatSeconds(silence)}`;
  const last = points.at(-1);
  if (until === Infinity || last === undefined || last.at >= until - LATE.ms - LATE.intervals * intervalMs)
    return undefined;
  return `the last sample is ${formatSeconds(until - last.at)} too early`;
}

function isLostSample(lost: Lost, file: CellCase, until: number): boolean {
  const node = lost.node ?? file.node;
  return lost.source === 'samples' && node === file.node && isAtMost(lost.at, until, { unknown: 'counts' });
}

/** `max` of `pids.events` of the container, or of its pod where that counts what any of its cgroups is refused. */
function readRefusals(file: CellCase): Series {
  const isOwn = (path: string): boolean =>
    file.cgroups.holds(path) || (isOfPods(path, file.uids) && levelOf(path) === 'pod');
  const highest = new Map<string, number>();
  const points = file.index.of('cgroup-values').flatMap((reading): Point[] => {
    const { at, path, values, ref } = reading;
    const count = Number(values.max);
    if (reading.file !== 'pids.events' || reading.node !== file.node || at === undefined || !isOwn(path))
      return [];
    if (!Number.isFinite(count)) return [];
    // Both cgroups may count one refusal: the larger number has them all.
    highest.set(path, count);
    return [{ at, value: largest(highest.values()), ref }];
  });
  return {
    points,
    missingUntil: (until) => {
      const endedAt = file.endedAt ?? Date.parse(file.record.endedAt);
      if (until !== Infinity && endedAt < until - LATE.ms)
        return `the cell was over ${formatSeconds(until - endedAt)} too early`;
      return describeGaps(findGaps(file, ['cgroup']));
    },
  };
}
