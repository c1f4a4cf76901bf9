import type { BugResult } from '../../model/declared/ledger.ts';
import type { Outcome } from '../../model/declared/scenario.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import type { Judgement } from './judgement.ts';

/**
 * Judges a cell that is expected to show a known bug. It is passed while it does. It fails with the name of the bug when
 * it ends otherwise, and when the date has passed by which somebody was to look at the bug again, by the clock of the
 * host when the cell began.
 *
 * @param judged what the cell came to, whatever bug is known.
 * @param judgeAs judges the same evidence by another expectation.
 */
export function judgeBug(
  record: Pick<CellRecord, 'bug' | 'startedAt'>,
  judged: Judgement,
  judgeAs: (expected: Outcome) => Judgement,
): Judgement {
  const { bug, startedAt } = record;
  if (bug === undefined) return judged;
  const file = `bugs/${bug.id}.yaml`;
  const say = (state: BugResult['state'], note?: string): Judgement => ({
    ...judged,
    bug: { id: bug.id, state },
    ...(note === undefined ? {} : { note: `bug ${bug.id} ${note}: review ${file}` }),
  });
  if (judged.verdict === 'failed')
    return judgeAs(bug.fixed).verdict === 'passed'
      ? say('seems-fixed', 'seems fixed')
      : say('ends-otherwise', 'ends in another way');
  if (judged.verdict !== 'passed') return say('open');
  const today = new Date(startedAt).toISOString().slice(0, 10);
  if (bug.reviewBy === undefined || today <= bug.reviewBy) return say('shows');
  const observed = `${today}, and ${file} still has that date`;
  return {
    ...say('review-due', `still shows, and its review date ${bug.reviewBy} has passed`),
    mismatches: [{ field: 'reviewBy', expected: `a look at the bug by ${bug.reviewBy}`, observed }],
    verdict: 'failed',
  };
}
