import type { CgroupValues } from '../../model/evidence/observation.ts';
import { isAtMost } from '../records/times.ts';
import type { CaseFile } from './case-file.ts';
import { findRise, type CounterRise } from './oom-counters.ts';
import { readingsIn } from '../records/readings.ts';

/** Counts refused forks: its `max` rises with each one that the limit of processes of a cgroup refuses. */
const COUNTER = 'pids.events';

/** The readings of this counter on the node of a case, up to a time. */
export function readForkCounters({ index, node }: CaseFile, until: number): CgroupValues[] {
  return readingsIn(index, COUNTER).filter(
    (reading) => reading.node === node && isAtMost(reading.at, until, { unknown: 'counts' }),
  );
}

/** The first of these readings that tells of a refused fork in a wanted cgroup. */
export function findRefusedFork(
  readings: readonly CgroupValues[],
  wanted: (path: string) => boolean,
): CounterRise | undefined {
  return findRise(readings, wanted, 'max', [COUNTER]);
}
