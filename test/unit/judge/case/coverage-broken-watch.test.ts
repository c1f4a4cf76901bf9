import { expect, it } from 'vitest';
import { HAND_WRITTEN } from '../../../fixtures/evidence/hand-written.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { iso } from '../../../fixtures/told/cast.ts';

it.each([
  ['before the victim died', 4, 'inconclusive'],
  ['long after it had died', 25, 'passed'],
])('a watch that broke %s', (_what, at, verdict) => {
  const capture = HAND_WRITTEN.find((story) => story.name === 'deadline')!.capture();
  const lost = [{ source: 'pods', from: iso(at), why: 'the watch broke' } as const];
  expect(judgeCapture({ ...capture, record: { ...capture.record, lost } }).verdict).toBe(verdict);
});
