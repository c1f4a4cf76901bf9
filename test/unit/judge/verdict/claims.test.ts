import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CellResult } from '../../../../lab/model/saved/formats.ts';
import { judgeCapture, loadCapture, withLines } from '../../../fixtures/evidence/load-capture.ts';

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

/** Bytes that no format has, the same in every run, read as text. */
const NOISE = Array.from({ length: 100 }, (_, number) =>
  createHash('sha512').update(String(number)).digest().toString('utf8'),
).join('');

/** What can have happened to a file of evidence. */
const FATES: Readonly<Record<string, ((lines: string[]) => string[]) | undefined>> = {
  gone: undefined,
  random: () => [NOISE],
  empty: () => [],
};

// A layer that was not heard is not a layer that had nothing to say.
describe.each(Object.entries(FATES))('a source that is %s', (_, change) => {
  it.each<[capture: string, file: string, layer: string, says: string]>([
    ['oom-single-container', 'node-1/kmsg.log', 'kernel', 'its log is missing or incomplete'],
    ['sigkill-from-node', 'node-1/kmsg.log', 'kernel', 'its log is missing or incomplete'],
    ['oom-single-container', 'node-1/witness.jsonl', 'cgroup', 'its counters are missing or incomplete'],
    ['oom-single-container', 'node-1/containerd.jsonl', 'runtime', 'its log is missing or incomplete'],
    ['within-limits', 'node-1/containerd.jsonl', 'runtime', 'its log is missing or incomplete'],
    ['oom-single-container', 'node-1/kubelet.jsonl', 'kubelet', 'its log is missing or incomplete'],
    ['within-limits--v1', 'node-1/kubelet.jsonl', 'kubelet', 'its log is missing or incomplete'],
    [
      'oom-single-container',
      'events.jsonl',
      'kubelet',
      'it removed the dead container; its events are missing or incomplete',
    ],
    ['within-limits--v1', 'events.jsonl', 'kubelet', 'its events are missing or incomplete'],
  ])('is named by the claim it makes: %s, %s', (capture, file, layer, says) => {
    const { claims } = judgeCapture(withLines(loadCapture(capture), file, change));
    expect(claims.find((claim) => claim.layer === layer)).toEqual({ layer, says, agrees: null });
  });

  it('is the reason of a cell without a victim', () => {
    const { verdict, note } = judgeCapture(withLines(loadCapture('plain-exit'), 'pods.jsonl', change));
    expect(verdict).toBe('inconclusive');
    expect(note).toMatch(/pods\.jsonl was not saved|the API watch delivered no pod/);
  });
});

it('an API whose last words are missing is not called wrong', () => {
  const isEnd = (line: string): boolean => line.includes('"terminated"');
  const { claims } = judgeCapture(
    withLines(loadCapture('oom-single-container'), 'pods.jsonl', (lines) => [
      ...lines.filter((line) => !isEnd(line)),
      '{"cut',
    ]),
  );
  expect(claims.find(({ layer }) => layer === 'api')).toMatchObject({ agrees: null });
});

it('a container that the runtime never named is not missed in a log that is whole', () => {
  const { claims } = judgeCapture(loadCapture('container-init-oom'));
  expect(claims.find(({ layer }) => layer === 'runtime')?.says).toBe('nothing about this container');
});
