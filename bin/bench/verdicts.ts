import type { RunResult } from '../../lab/model/saved/formats.ts';

/** Exit codes of a run that has judged its cells: all as expected, one that is not, one that is inconclusive. */
export const EXITS_WITH_VERDICTS = [0, 1, 3];

/** What a cell was judged to be, to be compared with another one. */
export function describeVerdict({ verdict, attribution }: RunResult['cells'][number]): string {
  const { killer, how, level, confidence } = attribution;
  return `${verdict}: ${killer} ${how ?? ''} ${level ?? ''} ${confidence ?? ''}`;
}
