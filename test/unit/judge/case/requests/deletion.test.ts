import { describe, expect, it } from 'vitest';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture, loadCapture } from '../../../../fixtures/evidence/load-capture.ts';

describe('who deleted a pod', () => {
  it('before 1.26, which writes no such condition, nobody can tell an eviction from a deletion', () => {
    const drained = changedIn(loadCapture('api-eviction'), 'pods.jsonl', 'EvictionByEvictionAPI', 'Other');
    const variant = { ...drained.record.variant, kubernetes: '1.22.17' };
    const judged = judgeCapture({ ...drained, record: { ...drained.record, variant } });
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion' });
    expect(judged.attribution.how).toBeUndefined();
    expect(judged.verdict).toBe('inconclusive');
  });

  it('before 1.26 a taint is told by its event, which has no uid; one that was cancelled is none', () => {
    const before = (capture: Capture): Capture => {
      const changed = changedIn(capture, 'pods.jsonl', 'DeletionByTaintManager', 'Other');
      const { record } = changed;
      return { ...changed, record: { ...record, variant: { ...record.variant, kubernetes: '1.22.17' } } };
    };
    expect(judgeCapture(before(told('tainted'))).attribution.how).toBe('taint');
    expect(judgeCapture(before(loadCapture('taint-no-execute'))).attribution.how).toBe('taint');
    const cancelled = changedIn(told('tainted'), 'events.jsonl', 'Marking for', 'Cancelling');
    expect(judgeCapture(before(cancelled)).attribution.how).toBeUndefined();
  });

  it('from 1.26 on a taint writes a condition before it deletes: without one its event names nobody', () => {
    const without = changedIn(told('tainted'), 'pods.jsonl', 'DeletionByTaintManager', 'Other');
    expect(judgeCapture(told('tainted')).attribution.how).toBe('taint');
    expect(judgeCapture(without).attribution.how).toBe('delete');
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it('a condition that names nobody leaves a plain deletion', () => {
    const drained = loadCapture('api-eviction');
    const judged = judgeCapture(changedIn(drained, 'pods.jsonl', 'EvictionByEvictionAPI', 'Other'));
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion', how: 'delete' });
    expect(judged.verdict).toBe('failed');
  });
});
