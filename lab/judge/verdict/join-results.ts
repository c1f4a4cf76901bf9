import type { Verdict } from '../../model/killers/killers.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { compareText } from '../../model/text/compare-text.ts';

/** A result of a cell, and where it comes from. */
export interface PartialResult {
  readonly cell: CellResult;
  /** When its run began, and the id of that: they order results, on whatever host they are put together. */
  readonly startedAt: string;
  readonly run: string;
}

/** How much a result says: one that was judged more than one that could not be, and that more than none. */
const RANKS: Readonly<Record<Verdict, number>> = {
  passed: 2,
  failed: 2,
  skipped: 2,
  inconclusive: 1,
  interrupted: 0,
};

/**
 * The results of one cell that count, in the order of time: those that say most, and of those that agree only the first. More than
 * one means that hosts disagree. None means that the cell has not come back.
 *
 * What counts of a part and what counts of the rest are enough to know what counts of all: merging may be done in any order and in any
 * steps.
 */
export function chooseResults<Result extends PartialResult>(results: readonly Result[]): Result[] {
  const most = results.reduce((rank, { cell }) => Math.max(rank, RANKS[cell.verdict]), 0);
  if (most === 0) return [];
  const best = results.filter(({ cell }) => RANKS[cell.verdict] === most).sort(compareAge);
  const seen = new Set<string>();
  return best.filter(({ cell }) => {
    const says = most === 1 ? '' : whatItSays(cell);
    if (seen.has(says)) return false;
    seen.add(says);
    return true;
  });
}

function whatItSays({ verdict, attribution: { killer, level, how } }: CellResult): string {
  return JSON.stringify([verdict, killer, level ?? '', how ?? '']);
}

function compareAge(a: PartialResult, b: PartialResult): number {
  return compareText(a.startedAt, b.startedAt) || compareText(a.run, b.run);
}

/**
 * One result of results that disagree: no verdict, and each of them as an attempt. It shows the first one.
 *
 * @param results at least two, in the order of time; the evidence of each is where its attempt has it.
 */
export function joinDisagreeing(results: readonly CellResult[]): CellResult {
  const [first] = results;
  if (first === undefined) throw new RangeError('results that disagree are at least two');
  const { bug } = first;
  const says = results.map(({ verdict, attribution }) => `${verdict} (${attribution.killer})`);
  return {
    ...leaveOut(first, ['rate', 'bug']),
    verdict: 'inconclusive',
    mismatches: [],
    ...(bug === undefined ? {} : { bug: { id: bug.id, state: 'open' as const } }),
    note: `hosts disagree: ${says.join(', ')}`,
    attempts: results.map(({ verdict, attribution, evidence, note }) => ({
      verdict,
      killer: attribution.killer,
      evidence,
      ...(note === undefined ? {} : { note }),
    })),
  };
}

/** A result without some of its fields. */
function leaveOut<Name extends keyof CellResult>(
  result: CellResult,
  names: readonly Name[],
): Omit<CellResult, Name> {
  const kept = Object.entries(result).filter(([name]) => !names.some((left) => left === name));
  return Object.fromEntries(kept) as Omit<CellResult, Name>;
}
