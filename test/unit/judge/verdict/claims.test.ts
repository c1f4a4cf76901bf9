import { expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

type Marks = Partial<Record<CellResult['claims'][number]['layer'], boolean | null>>;

// The OOM kill did happen in all of them: what saw it is not wrong. Only a label can be.
it.each<[capture: string, marks: Marks]>([
  // A deletion ended the container whose child had been killed: the label is that of the child.
  ['worker-oom-then-delete--v1', { kernel: null, cgroup: null, runtime: false, api: false }],
  // The child was killed, and the container runs: nobody says a word about it but those who saw it.
  ['oom-child-group--v1', { kernel: true, cgroup: true, runtime: true, api: null }],
  ['oom-child-group--single-process-oom', { kernel: true, cgroup: true, runtime: true, api: null }],
  ['oom-child-group', { kernel: true, cgroup: true, runtime: true, api: true }],
  ['cron-job-oom--oom-event-lost', { kernel: true, runtime: false, api: false }],
])('the layers of %s are marked', (capture, marks) => {
  const { claims } = judgeCapture(loadCapture(capture));
  expect(Object.fromEntries(claims.map(({ layer, agrees }) => [layer, agrees]))).toMatchObject(marks);
});

it('who never says OOMKilled is named as wrong, by kernel and counters (containerd lost the event)', () => {
  const { attribution, claims } = judgeCapture(loadCapture('cron-job-oom--oom-event-lost'));
  expect(attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'proven' });
  const agrees = Object.fromEntries(claims.map((claim) => [claim.layer, claim.agrees]));
  expect(agrees).toMatchObject({ kernel: true, cgroup: true, runtime: false, api: false });
});
