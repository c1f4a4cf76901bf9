import { describe, expect, it } from 'vitest';
import { lostOf } from '../../../../lab/evidence/lines.ts';
import { readEvidence } from '../../../../lab/evidence/read-evidence.ts';
import type { CaseFile } from '../../../../lab/judge/case/case-file.ts';
import { openCase } from '../../../../lab/judge/case/open-case.ts';
import { weigh } from '../../../../lab/judge/killer/confidence.ts';
import type { Conclusion, Steps } from '../../../../lab/judge/killer/conclusion.ts';
import type { EvidenceRef, Finding } from '../../../../lab/model/saved/formats.ts';
import { loadCapture } from '../../../fixtures/evidence/load-capture.ts';
import { indexEvidence } from '../../../../lab/judge/records/evidence-index.ts';

const capture = loadCapture('api-delete');
const file = openCase(capture.record, indexEvidence(readEvidence(capture.files, capture.record))) as CaseFile;

/** The first record of a source about the victim. */
function refOf(source: string, text: RegExp): EvidenceRef {
  const found = file.index.all.find(({ ref }) => ref.source === source && text.test(ref.text));
  if (found === undefined) throw new Error(`no ${source} says ${String(text)}`);
  return found.ref;
}

const deletion = file.index.of('pod-seen').find((seen) => seen.deletionAt !== undefined)?.ref;
const ended = file.end?.ref;
const killing = refOf('event', /^Killing/);
const line = refOf('kubelet', /Killing container with a grace period/);
const asked = refOf('containerd', /StopContainer/);
const traced = file.killingSignal?.sent.ref;

/** How sure an answer is whose proof is these records, when nothing else is in its way. */
function confidenceOf(steps: Steps): string {
  return weigh(file, { killer: 'api-deletion', steps, decisive: [] }, []).confidence;
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

describe('an answer that is not proven says why', () => {
  const proven: Conclusion = {
    killer: 'api-deletion',
    decisive: [],
    steps: { signal: [traced], end: [ended] },
  };
  const finding: Finding = { what: 'a stranger came by', explained: false, because: [] };

  it('leaves the doubts out when there are none', () => {
    expect(weigh(file, proven, [{ ...finding, explained: true }])).toEqual({ confidence: 'proven' });
  });

  it.each<[string, Partial<Conclusion>, readonly Finding[], RegExp]>([
    ['a doubt of the rule', { doubts: ['nobody traced the signal'] }, [], /^nobody traced the signal$/],
    ['a gap in a decisive source', { decisive: ['cgroup'] }, [], /^node-1\/witness\.jsonl: it went$/],
    ['one source alone', { steps: { end: [ended] } }, [], /came through the same source/],
    ['a finding', {}, [finding], /nothing explains/],
  ])('%s', (_, change, findings, doubt) => {
    const { confidence, doubts } = weigh(withLostCgroups(), { ...proven, ...change }, findings);
    expect(confidence).toBe('likely');
    expect(doubts).toEqual([expect.stringMatching(doubt)]);
  });

  it('says nothing of an unknown killer: what is open tells', () => {
    expect(weigh(file, { ...proven, killer: 'unknown', doubts: ['it rained'] }, [finding])).toEqual({
      confidence: 'none',
    });
  });
});

/** The case with a loss of the witness' look at cgroups. */
function withLostCgroups(): CaseFile {
  const observations = readEvidence(capture.files, capture.record);
  const lost = lostOf('witness', 'it went', 'node-1/witness.jsonl', undefined, undefined, 'cgroup');
  return openCase(capture.record, indexEvidence([lost, ...observations])) as CaseFile;
}
