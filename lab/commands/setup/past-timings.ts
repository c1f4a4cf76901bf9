import { readLines } from '../../drivers/files/files.ts';
import { statePaths } from '../../model/host/paths.ts';
import { parsePastTimings, type PastTiming } from '../../plan/worlds/estimate.ts';
import type { Context } from '../context/context.ts';

/** What worlds, cells and programs took here before; empty in a new state folder. */
export function readPastTimings({ stateDir }: Pick<Context, 'stateDir'>): PastTiming[] {
  return parsePastTimings(readLines(statePaths(stateDir).timings));
}
