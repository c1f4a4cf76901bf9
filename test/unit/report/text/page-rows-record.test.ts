import { expect, it } from 'vitest';
import { quote, refColumns } from '../../../../lab/report/text/page-rows.ts';
import { claimSection } from '../../../../lab/report/terminal/attribution-sections.ts';
import { judgeCapture, loadCapture } from '../../../fixtures/evidence/load-capture.ts';

it('quotes what the kubelet said, without what its logger put before it', () => {
  const text =
    'I1121 01:48:25.756735     418 kuberuntime_container.go:866] "Killing container" pod="default/doomed"';
  expect(quote(text)).toBe('"Killing container" pod="default/doomed"');
});

it('leaves a text alone that only has such words in it', () => {
  const text = '"Probe failed" output="I1121 01:48:25.756735 418 own.go:8] no"';
  expect(quote(text)).toBe(text);
});

it('names the killing of an evicted pod without the line of the source that logged it', () => {
  const { attribution } = judgeCapture(loadCapture('api-eviction'));
  const rows = (attribution.chain ?? []).map((ref) => refColumns(ref).join('  ')).join('\n');
  expect(rows).toContain('kubelet  "Killing container with a grace period" pod="default/doomed"');
  expect(rows).not.toContain('kuberuntime_container.go');
});

it('quotes the kubelet in the same way where each layer is quoted', () => {
  const said = claimSection(judgeCapture(loadCapture('exit-one')).claims).join('\n');
  expect(said).toContain('kubelet  "Generic (PLEG): container finished"');
});
