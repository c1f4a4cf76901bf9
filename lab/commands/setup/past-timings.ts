import { readLines } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import { parsePastTimings, type PastTiming } from '../../plan/worlds/estimate.ts';
import type { Context } from '../context/context.ts';

/** Reads how long worlds, cells and programs took on this host before; empty in a new state folder. */
export function readPastTimings({ stateDir }: Pick<Context, 'stateDir'>): PastTiming[] {
  return parsePastTimings(readLines(statePaths(stateDir).timings));
}
