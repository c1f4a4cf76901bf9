import { describe, expect, it } from 'vitest';
import { combineAttempts } from '../../../../lab/judge/verdict/attempts.ts';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import type { Verdict } from '../../../../lab/model/killers/killers.ts';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';

function run(verdict: Verdict, index: number): CellResult {
  return {
    address: 'default/racy',
    variant: { ...DEFAULT_VARIANT },
    scenario: 'racy',
    verdict,
    expected: {},
    attribution: {
      killer: verdict === 'failed' ? 'none' : 'memcg-oom',
      victim: 'x',
      confidence: 'proven',
      because: [],
    },
    claims: [],
    mismatches: verdict === 'failed' ? [{ field: 'killer', expected: 'a', observed: 'b' }] : [],
    timings: { restoreMs: 0, deployMs: 0, verdictMs: 0, totalMs: 0 },
    evidence: `cells/default/racy/run-${index + 1}`,
  };
}

const runs = (...verdicts: Verdict[]): CellResult[] => verdicts.map(run);

describe('a repeated cell', () => {
  it('passes within the tolerated rate, and says the rate and its interval', () => {
    const all = combineAttempts(runs('passed', 'failed', 'passed', 'passed', 'passed'), 0.2);
    expect(all).toMatchObject({
      verdict: 'passed',
      mismatches: [],
      rate: { passed: 4, of: 5, tolerate: 0.2 },
    });
    expect(all.rate?.failing.method).toBe('wilson-95');
    expect(all.note).toBe('4 of 5 runs as expected; 3.6 % to 62.4 % fail (Wilson, 95 %)');
    expect(all.attempts?.map((attempt) => attempt.verdict)).toEqual([
      'passed',
      'failed',
      'passed',
      'passed',
      'passed',
    ]);
  });

  it('fails beyond it, and shows a run that failed', () => {
    const all = combineAttempts(runs('passed', 'failed', 'failed', 'passed', 'passed'), 0.2);
    expect(all).toMatchObject({ verdict: 'failed', evidence: 'cells/default/racy/run-2' });
    expect(all.mismatches).toHaveLength(1);
  });

  it('has no verdict when the runs without one could change it, and has one when they could not', () => {
    expect(combineAttempts(runs('passed', 'inconclusive'), 0.2).verdict).toBe('inconclusive');
    expect(combineAttempts(runs('passed', 'interrupted'), 0.2).verdict).toBe('interrupted');
    expect(combineAttempts(runs('failed', 'inconclusive'), 0.2).verdict).toBe('failed');
    expect(combineAttempts(runs('passed', 'passed', 'passed', 'passed', 'inconclusive'), 0.2).verdict).toBe(
      'passed',
    );
  });

  it('never passes when no run did', () => {
    expect(combineAttempts(runs('inconclusive'), 1).verdict).toBe('inconclusive');
  });
});
