import type { CellRecord } from '../../model/evidence/observation.ts';
import type { Mismatch } from '../../model/saved/formats.ts';
import type { Judgement } from './judgement.ts';

/** How an expectation came out. */
export interface Weighed {
  /** Why nothing can be said of it; undefined where something can. */
  readonly undecided: string | undefined;
  /** Where it is not as expected. */
  readonly mismatches: readonly Mismatch[];
  /** Why nobody knows whether the rest is as expected; undefined where somebody does. */
  readonly open?: string | undefined;
  /** What a reader is told where all of it is as expected. */
  readonly note?: string | undefined;
}

/** Decides the verdict: the first that holds of interrupted, undecided, not as expected, open, as expected. */
export function decide(
  { interrupted, broken }: Pick<CellRecord, 'interrupted' | 'broken'>,
  { undecided, mismatches, open, note }: Weighed,
): Pick<Judgement, 'verdict' | 'note'> & Partial<Pick<Judgement, 'mismatches'>> {
  if (interrupted !== undefined) return { verdict: 'interrupted', note: interrupted };
  const voided = broken ?? undecided;
  if (voided !== undefined) return { verdict: 'inconclusive', note: voided };
  if (mismatches.length > 0) return { mismatches: [...mismatches], verdict: 'failed' };
  if (open !== undefined) return { verdict: 'inconclusive', note: open };
  return { verdict: 'passed', ...(note === undefined ? {} : { note }) };
}
