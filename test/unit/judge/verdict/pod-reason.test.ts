import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import type { Judgement } from '../../../../lab/judge/verdict/judge-cell.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

const judged = (name: string, podReason: Outcome['podReason']): Pick<Judgement, 'verdict' | 'mismatches'> => {
  const capture = loadCapture(name);
  const expected = { ...capture.record.expected, podReason };
  const { verdict, mismatches } = judgeCapture({ ...capture, record: { ...capture.record, expected } });
  return { verdict, mismatches };
};

describe('the reason of the pod itself', () => {
  it.each([
    ['eviction-empty-dir', 'Evicted'],
    ['deadline', 'DeadlineExceeded'],
    ['critical-pod', 'Preempting'],
  ])('of %s is as expected', (name, reason) => {
    expect(judged(name, [reason])).toEqual({ verdict: 'passed', mismatches: [] });
  });

  it('fails a cell whose pod has another one', () => {
    expect(judged('deadline', ['Evicted', 'NodeAffinity'])).toEqual({
      verdict: 'failed',
      mismatches: [{ field: 'podReason', expected: 'Evicted or NodeAffinity', observed: 'DeadlineExceeded' }],
    });
  });

  it('fails a cell whose pod has none, whatever reason its container has', () => {
    expect(judged('oom-single-container', ['OOMKilled'])).toEqual({
      verdict: 'failed',
      mismatches: [{ field: 'podReason', expected: 'OOMKilled', observed: 'no reason' }],
    });
  });

  it('gives no verdict where the API was not heard to the end', () => {
    const capture = loadCapture('deadline');
    const expected = { ...capture.record.expected, podReason: ['Evicted'] };
    const files = new Map([...capture.files].filter(([path]) => path !== 'pods.jsonl'));
    const { verdict } = judgeCapture({ ...capture, record: { ...capture.record, expected }, files });
    expect(verdict).toBe('inconclusive');
  });
});
