import { describeOutcome } from '../../model/saved/describe-outcome.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import type { Verdict } from '../../model/killers/killers.ts';
import { isUnstarted } from './cell-words.ts';

/** A sign for each verdict, in addition to its colour. */
export const VERDICT_MARKS: Readonly<Record<Verdict, string>> = {
  passed: '✓',
  failed: '✗',
  inconclusive: '?',
  skipped: '-',
  interrupted: '!',
};

/**
 * Renders the killer with its level: `memcg-oom at pod level`. It says when `none` survived, when the container never started,
 * and what is only likely.
 */
export function describeKiller(cell: CellResult): string {
  if (isUnstarted(cell)) return 'nobody (never started)';
  const { killer, level, confidence } = cell.attribution;
  const where = level === undefined ? '' : ` at ${level} level`;
  const notes = [...(killer === 'none' ? ['survived'] : []), ...(confidence === 'likely' ? ['likely'] : [])];
  return `${killer}${where}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** What became of a cell, where its world may have started no pod: the killer, or that no pod starts. */
export function describeEnd(cell: CellResult): string {
  return cell.startFailure === undefined ? describeKiller(cell) : NO_START;
}

/** What a cell had to come to: its outcome, or that no pod starts. */
export function describeExpected({ expected, startFailure, measures }: CellResult): string {
  return startFailure?.expected === true ? NO_START : describeOutcome(expected, measures);
}

const NO_START = 'no pod starts';
