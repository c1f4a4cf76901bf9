import { formatSeconds } from '../../model/text/format-duration.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Point, Series } from './point.ts';
import { isAtMost, shift } from '../records/times.ts';
import { largest } from '../../model/text/extremes.ts';

/** How a node stalls: whether it answers somebody from outside, and what its kernel and the API say of it. */

/** The share of a shorter time says little. */
const WINDOW_MS = 10_000;
/** The host looks once a second. A longer time without any line is a host that did not look. */
const UNSEEN_MS = 5_000;

/** At each moment when the host looked: the time since the node had greeted it last, or since it began to ask. */
export function readHeartbeatGaps(file: CellCase): Series {
  const looks = file.index.of('node-answered').filter(({ node }) => node === file.node);
  let since: number | undefined;
  const points = looks.flatMap(({ at, said, ref }): Point[] => {
    if (at === undefined) return [];
    const value = (at - (since ?? at)) / 1000;
    if (said === 'answer' || said === 'start') since = at;
    return [{ at, value, ref }];
  });
  return {
    points,
    missingUntil: (until) => {
      const lost = file.index.of('lost').find(({ source }) => source === 'heartbeat');
      if (lost !== undefined) return `${lost.ref.file}: ${lost.why}`;
      if (looks.length === 0) return 'nobody asked the node whether it answers';
      const unseen = longestPause(points.filter(({ at }) => at <= until));
      if (unseen > UNSEEN_MS) return `the host did not look for ${formatSeconds(unseen)}`;
      const last = points.at(-1);
      const isWhole = looks.at(-1)?.said === 'stop' || (last !== undefined && last.at >= until);
      return isWhole ? undefined : 'nobody knows when the host ceased to ask';
    },
  };
}

/**
 * At each beat of the witness, the share of the WINDOW_MS before it. The kernel adds the time up itself, so a beat that is
 * late takes nothing away.
 */
export function readMemoryStalls(file: CellCase): Series {
  const beats = file.index.of('node-beat').filter(({ node }) => node === file.node);
  const points = beats.flatMap(({ at, memoryFullMicros, boot, ref }, index): Point[] => {
    const before = beats
      .slice(0, index)
      .findLast(
        (beat) => beat.boot === boot && isAtMost(beat.at, shift(at, -WINDOW_MS), { unknown: 'does not' }),
      );
    if (at === undefined || memoryFullMicros === undefined || before?.at === undefined) return [];
    const stalled = (memoryFullMicros - (before.memoryFullMicros ?? memoryFullMicros)) / 1000;
    return [{ at, value: Math.min(1, stalled / (at - before.at)), ref }];
  });
  return { points, missingUntil: () => describeGaps(findGaps(file, ['cgroup'])) };
}

/**
 * At each version of the Node that the watch delivered, and at the end of the cell: for how long by then the API has called
 * it anything but Ready. A version counts from when it was delivered until the next one.
 */
export function readNotReady(file: CellCase): Series {
  const { index, node, record } = file;
  const versions = index.of('node-seen').filter(({ name, at }) => name === node && at !== undefined);
  const endedAt = Date.parse(record.endedAt);
  let seconds = 0;
  const points = versions.flatMap(({ at = 0, conditions, ref }, position): Point[] => {
    const before: Point = { at, value: seconds, ref };
    const until = versions[position + 1]?.at ?? Math.max(at, endedAt);
    if (conditions.Ready !== 'True') seconds += (until - at) / 1000;
    return position === versions.length - 1 ? [before, { at: until, value: seconds, ref }] : [before];
  });
  return {
    points,
    missingUntil: () => describeGaps(findGaps(file, ['nodes'])),
  };
}

function longestPause(points: readonly Point[]): number {
  return largest(
    points.map(({ at }, index) => at - (points[index - 1]?.at ?? at)),
    0,
  );
}
