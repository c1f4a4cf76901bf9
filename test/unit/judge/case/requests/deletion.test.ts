import { describe, expect, it } from 'vitest';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture, loadCapture } from '../../../../fixtures/evidence/load-capture.ts';

describe('who deleted a pod', () => {
  const OLD = loadCapture('worker-oom-then-delete--1.22');
  const [ASKED = { kind: '', at: '', node: '', detail: '' }] = OLD.record.stimuli;
  const stimulated = (...stimuli: readonly Partial<typeof ASKED>[]): Capture => ({
    ...OLD,
    record: { ...OLD.record, stimuli: stimuli.map((stimulus) => ({ ...ASKED, ...stimulus })) },
  });
  const EVICTED = { kind: 'evict-pod', detail: 'asked the eviction API for pod family' };

  it.each<[string, Capture, string | undefined]>([
    ['whoever asked says so', OLD, 'delete'],
    ['it was an eviction', stimulated(EVICTED), 'eviction-api'],
    [
      'it was one of a drain',
      stimulated({ kind: 'drain-node', detail: 'cordoned node-1 and evicted other, family' }),
      'eviction-api',
    ],
    ['nobody says that he asked', stimulated(), undefined],
    ['two asked, in two ways', stimulated({}, EVICTED), undefined],
    ['another pod was asked for', stimulated({ detail: 'deleted pod family-2' }), undefined],
    ['it was seen before', stimulated({ at: '2026-12-01T05:55:11.092Z' }), undefined],
    ['it was asked long before', stimulated({ at: '2026-12-01T05:54:56.000Z' }), undefined],
  ])('before 1.26, which writes no such condition: %s', (_, capture, how) => {
    const judged = judgeCapture(capture);
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion' });
    expect(judged.attribution.how).toBe(how);
    expect(judged.verdict).toBe({ delete: 'passed', 'eviction-api': 'failed' }[how ?? ''] ?? 'inconclusive');
  });

  it('from 1.26 on the condition tells, and not whoever says that he asked', () => {
    const newer = stimulated(EVICTED);
    const variant = { ...newer.record.variant, kubernetes: '1.26.1' };
    const judged = judgeCapture({ ...newer, record: { ...newer.record, variant } });
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion', how: 'delete' });
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
