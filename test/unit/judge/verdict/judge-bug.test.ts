import { describe, expect, it } from 'vitest';
import { compareJudgements } from '../../../../lab/judge/compare/compare-judgements.ts';
import type { ExpectedBug } from '../../../../lab/model/declared/ledger.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import {
  judgeCapture,
  loadCapture,
  withExpected,
  type Capture,
} from '../../../fixtures/evidence/load-capture.ts';

const SURVIVES: Outcome = { killer: 'none', survivesSeconds: 20 };
const KILLED: Outcome = { killer: 'memcg-oom', withinSeconds: 20 };

/** A pod that lived, in a cell that expected `expected` of the bug, and `fixed` without it. */
function lived(expected: Outcome, fixed: Outcome, bug: Partial<ExpectedBug> = {}): Capture {
  const capture = withExpected(loadCapture('within-limits'), expected);
  return { ...capture, record: { ...capture.record, bug: { id: 'some-bug', fixed, ...bug } } };
}

const startedOn = loadCapture('within-limits').record.startedAt.slice(0, 10);
const dayBefore = new Date(Date.parse(startedOn) - 86_400_000).toISOString().slice(0, 10);

describe('a cell that is expected to show a known bug', () => {
  it('passes with the name of the bug while it does', () => {
    const judged = judgeCapture(lived(SURVIVES, KILLED));
    expect(judged).toMatchObject({ verdict: 'passed', bug: { id: 'some-bug', state: 'shows' } });
    expect(judged.note).toBeUndefined();
  });

  it('fails when it ends like the fixed side', () => {
    const judged = judgeCapture(lived(KILLED, SURVIVES));
    expect(judged).toMatchObject({ verdict: 'failed', bug: { id: 'some-bug', state: 'seems-fixed' } });
    expect(judged.note).toBe('bug some-bug seems fixed: review bugs/some-bug.yaml');
    expect(judged.mismatches).not.toEqual([]);
  });

  it('fails when it is bad in another way, or was watched too briefly to say that it is fixed', () => {
    for (const fixed of [{ killer: 'self-exit' }, { killer: 'none', survivesSeconds: 3600 }] as const) {
      const judged = judgeCapture(lived(KILLED, fixed));
      expect(judged).toMatchObject({ verdict: 'failed', bug: { state: 'ends-otherwise' } });
      expect(judged.note).toBe('bug some-bug ends in another way: review bugs/some-bug.yaml');
    }
  });

  it('fails from the day after its review date on, by the time at which the cell began', () => {
    expect(judgeCapture(lived(SURVIVES, KILLED, { reviewBy: startedOn })).verdict).toBe('passed');
    const judged = judgeCapture(lived(SURVIVES, KILLED, { reviewBy: dayBefore }));
    expect(judged).toMatchObject({ verdict: 'failed', bug: { state: 'review-due' } });
    expect(judged.note).toBe(
      `bug some-bug still shows, and its review date ${dayBefore} has passed: review bugs/some-bug.yaml`,
    );
    expect(judged.mismatches).toEqual([
      expect.objectContaining({ field: 'reviewBy', expected: `a look at the bug by ${dayBefore}` }),
    ]);
  });

  it('says that a bug seems fixed rather than that its date has passed', () => {
    expect(judgeCapture(lived(KILLED, SURVIVES, { reviewBy: dayBefore })).bug?.state).toBe('seems-fixed');
  });

  it('concludes nothing from a cell without a verdict', () => {
    const capture = lived(SURVIVES, KILLED, { reviewBy: dayBefore });
    const broken = judgeCapture({ ...capture, record: { ...capture.record, broken: 'the API is gone' } });
    expect(broken).toMatchObject({
      verdict: 'inconclusive',
      note: 'the API is gone',
      bug: { state: 'open' },
    });
  });

  it('is told apart from the saved result when it is judged again', () => {
    const [before, now] = [lived(SURVIVES, KILLED), lived(SURVIVES, KILLED, { reviewBy: dayBefore })];
    expect(compareJudgements(judgeCapture(before), judgeCapture(now))).toContainEqual({
      field: 'bug',
      before: 'shows',
      now: 'review-due',
    });
  });
});

describe('any other cell', () => {
  it('has no bug', () => {
    expect(judgeCapture(withExpected(loadCapture('within-limits'), KILLED)).bug).toBeUndefined();
  });
});
