import { formatBytes } from '../../model/text/format-bytes.ts';
import { formatDuration } from '../../model/text/format-duration.ts';
import type { Attribution, CellResult } from '../../model/saved/formats.ts';

/** Texts about one cell, in the words of `whodunit why`. */

/** What an autopsy and a cell have in common. */
type JudgedDeath = Pick<CellResult, 'attribution'> & Partial<Pick<CellResult, 'verdict'>>;

/** Texts for killers whose bare name would mislead. */
const WHO: Readonly<Record<string, string>> = {
  none: 'none (the victim survived)',
  unknown: 'unknown (proof is missing)',
};

/**
 * `memcg-oom (group-kill) at pod level, proven`.
 *
 * @param cell a judged death; in an autopsy it has no verdict, because nothing was expected.
 */
export function describeWho(cell: JudgedDeath): string {
  const { attribution, verdict } = cell;
  const { killer, how, level, confidence } = attribution;
  const way = how === undefined || how === killer ? '' : ` (${how})`;
  const where = level === undefined ? '' : ` at ${level} level`;
  const sure = confidence === 'none' ? '' : `, ${confidence}`;
  const until = verdict === 'interrupted' ? '; from what was seen before the cell was interrupted' : '';
  if (isUnstarted(cell)) return 'nobody (it never started)';
  return `${WHO[killer] ?? killer}${way}${where}${sure}${until}`;
}

/** Whether a container never ran, as it was expected: only such a cell passes without a killer. */
export function isUnstarted({ attribution, verdict }: JudgedDeath): boolean {
  return attribution.killer === 'unknown' && verdict === 'passed';
}

const PROCESS: Readonly<Record<string, string>> = { child: ', not the first process of its container' };

/** `eater/eater pid 812 (memory-eater)`, and whether another process than the first died. */
export function describeVictim({ victim, process }: Attribution): string {
  return `${victim}${PROCESS[process ?? ''] ?? ''}`;
}

/**
 * The most memory that was used, next to the limit: `peak 128.0 MiB, limit 128.0 MiB (100 %)`; empty when neither is
 * known.
 */
export function describeMemory({ figures }: Attribution): string {
  const { peakBytes: peak, limitBytes: limit, readBeforeEndMs: before } = figures ?? {};
  const isWhole = before === undefined;
  const share = peak === undefined || !limit || !isWhole ? '' : ` (${Math.round((peak / limit) * 100)} %)`;
  const early = isWhole ? '' : `, last read ${formatDuration(before)} before the end`;
  const parts = [
    ...(peak === undefined ? [] : [`${isWhole ? 'peak' : 'at least'} ${formatBytes(peak)}${early}`]),
    ...(limit === undefined ? [] : [`limit ${formatBytes(limit)}`]),
  ];
  return parts.length === 0 ? '' : `${parts.join(', ')}${share}`;
}

const HELD: Readonly<Record<string, string>> = {
  passed: ': all of it holds',
  inconclusive: ': not decided',
  interrupted: ': not decided',
};

/** Returns the end of the line with the expectation: whether all of it holds; empty when its parts are printed. */
export function describeHeld({ verdict }: Pick<CellResult, 'verdict'>): string {
  return HELD[verdict] ?? '';
}
