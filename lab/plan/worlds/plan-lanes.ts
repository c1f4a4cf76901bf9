import { largest } from '../../model/text/extremes.ts';
import { sum } from '../../model/text/sum.ts';
import type { AskedLanes } from './parse-lanes.ts';

/**
 * Chooses how many lanes each world gets, at least one and at most one a cell. Where the host decides, each world has its
 * own place first; one place after the other then goes to the world that would end last, until no number of lanes saves it
 * time. Pure.
 *
 * @param works of each world the estimates of its cells, in seconds.
 * @param slots how many worlds of this size the host admits at once.
 * @param forkSeconds what forking lanes takes.
 */
export function planLanes(
  works: readonly (readonly number[])[],
  asked: AskedLanes,
  { slots, forkSeconds }: { readonly slots: number; readonly forkSeconds: number },
): number[] {
  const timeOf = (cells: readonly number[], lanes: number): number =>
    estimateInLanes(cells, lanes, forkSeconds);
  if (asked !== 'auto') return works.map((cells) => Math.max(1, Math.min(asked, cells.length)));
  const lanes = works.map(() => 1);
  let free = slots - works.length;
  while (free > 0) {
    const times = works.map((cells, index) => timeOf(cells, lanes[index] ?? 1));
    const last = times.indexOf(largest(times));
    const [cells = [], before = 1] = [works[last], lanes[last]];
    // One more may save nothing where two do: four cells take as long in three lanes as in two.
    const counts = Array.from({ length: free }, (_, index) => before + index + 1);
    const better = counts.find((count) => timeOf(cells, count) < (times[last] ?? 0));
    if (better === undefined) break;
    free -= better - before;
    lanes[last] = better;
  }
  return lanes;
}

/** What cells take once their world is up, in seconds: each lane takes the longest one that is left. */
export function estimateInLanes(cellSeconds: readonly number[], lanes: number, forkSeconds: number): number {
  if (lanes === 1) return sum(cellSeconds);
  const ends = Array.from({ length: lanes }, () => 0);
  for (const seconds of cellSeconds.toSorted((a, b) => b - a)) {
    const first = ends.indexOf(Math.min(...ends));
    ends[first] = (ends[first] ?? 0) + seconds;
  }
  return forkSeconds + largest(ends);
}
