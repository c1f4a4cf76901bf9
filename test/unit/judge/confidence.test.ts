import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../lab/evidence/read-evidence.ts';
import type { CaseFile } from '../../../lab/judge/case-file.ts';
import type { Steps } from '../../../lab/judge/conclusion.ts';
import { confidenceIn } from '../../../lab/judge/confidence.ts';
import { openCase } from '../../../lab/judge/open-case.ts';
import type { EvidenceRef } from '../../../lab/model/formats.ts';
import { loadCapture } from '../../fixtures/evidence/load-capture.ts';

const capture = loadCapture('api-delete');
const file = openCase(capture.record, readEvidence(capture.files, capture.record)) as CaseFile;

/** The first record of a source about the victim. */
function refOf(source: string, text: RegExp): EvidenceRef {
  const found = file.index.all.find(({ ref }) => ref.source === source && text.test(ref.text));
  if (found === undefined) throw new Error(`no ${source} says ${String(text)}`);
  return found.ref;
}

const deletion = file.index.of('pod-seen').find((each) => each.deletionAt !== undefined)?.ref;
const ended = file.end?.ref;
const killing = refOf('event', /^Killing/);
const line = refOf('kubelet', /Killing container with a grace period/);
const asked = refOf('containerd', /StopContainer/);
const traced = file.killingSignal?.sent.ref;

/** How sure an answer is whose proof is these records, when nothing else is in its way. */
function confidenceOf(steps: Steps): string {
  return confidenceIn(file, { killer: 'api-deletion', steps, decisive: [] }, []);
}

describe('an answer is proven by two records that came by nobody in common', () => {
  it.each<[string, Steps]>([
    ["the trace's signal and the end that the API tells", { signal: [traced], end: [ended] }],
    ["the API's deletion and the kubelet's event", { request: [deletion, killing] }],
    ["the runtime's log and the kubelet's", { request: [line], signal: [asked] }],
  ])('%s', (_, steps) => {
    expect(confidenceOf(steps)).toBe('proven');
  });

  it.each<[string, Steps]>([
    [
      "an event of the kubelet, and the pod's status, which the kubelet writes",
      { request: [killing], end: [ended] },
    ],
    ['a line and an event of the kubelet', { request: [line, killing] }],
    [
      "the runtime's log, and the pod's status, which the kubelet has from the runtime",
      { signal: [asked], end: [ended] },
    ],
    ['the end alone, told twice', { signal: [ended], end: [ended] }],
  ])('not by %s', (_, steps) => {
    expect(confidenceOf(steps)).toBe('likely');
  });
});
