import { describe, expect, it } from 'vitest';
import { mayHaveDropped } from '../../../../lab/judge/case/spam-filter.ts';
import type { KubeEvent } from '../../../../lab/model/evidence/observation.ts';

/** An event of the kubelet that was written so often between two seconds. */
function told(count: number, first: number, last = first, reason = 'Unhealthy'): KubeEvent {
  return {
    kind: 'kube-event',
    at: last * 1000,
    ref: { source: 'event', at: '', file: 'events.jsonl', text: reason },
    node: undefined,
    boot: ' 1',
    reason,
    type: 'Warning',
    component: 'kubelet',
    objectKind: 'Pod',
    objectNamespace: 'default',
    objectName: 'victim',
    objectUid: 'uid',
    fieldPath: undefined,
    message: reason,
    count,
    firstAt: first * 1000,
    lastAt: last * 1000,
    deliveredAt: last * 1000,
  };
}

/** Single events of different kinds, one a second. */
const singles = (count: number, from = 0): KubeEvent[] =>
  Array.from({ length: count }, (_, index) => told(1, from + index, from + index, `kind ${index}`));

describe('the bucket of the client', () => {
  it.each([
    ['is not empty after 24 events', singles(24), 60, false],
    ['is empty after 25', singles(25), 60, true],
    ['counts each occurrence of a counted event', [...singles(3), told(22, 2, 20)], 60, true],
    ['counts a version of an event once', [told(1, 2), told(2, 2, 3), told(3, 2, 4)], 60, false],
    ['does not count what came later', [...singles(3), told(22, 90, 120)], 60, false],
    ['is filled again, one token in five minutes', [...singles(24), ...singles(2, 700)], 800, false],
    ['is filled no faster', [...singles(24), ...singles(3, 700)], 800, true],
    ['takes undated occurrences for late ones', [...singles(5), told(26, 2, 7200)], 7300, true],
  ])('%s', (_, events, until, expected) => {
    expect(mayHaveDropped(events, until * 1000)).toBe(expected);
  });
});
