import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import {
  type Capture,
  judgeCapture,
  loadCapture,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { killerOf, restartContainer } from '../../judge-story.ts';
import { running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, NEXT, isoSeconds } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'a deadline that is an eviction',
      () =>
        changedIn(
          changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Evicted"'),
          'pods.jsonl',
          'Pod was active on the node longer than the specified deadline',
          'The node was low on resource: memory. ',
        ),
      'kubelet-eviction',
    ],
    [
      'a deadline that is an eviction in the words of a deadline',
      () => changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Evicted"'),
      'unknown',
    ],
    [
      'a deadline that is none',
      () => changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Odd"'),
      'unknown',
    ],
    [
      'a probe of another container',
      () => changed('liveness-probe', 'events.jsonl', 'Container main failed', 'Container mainly failed'),
      'unknown',
    ],
    [
      'a sandbox that the runtime stopped after the container',
      () => {
        const metadata = { deletionTimestamp: isoSeconds(35), deletionGracePeriodSeconds: 30 };
        const story = new Story().pod(5, { state: running(3), metadata });
        story.event(5, 'Killing', 'Stopping container main');
        story.runtimeStops(6, { sender: RUNTIME }).exit(6.05);
        story.signal(7, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: RUNTIME });
        story.exit(7.01, CAST.pausePid, 'pause');
        return story.pod(8, { state: terminated(6, 143), metadata }).tell({ killer: 'api-deletion' });
      },
      'api-deletion',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('a deletion', () => {
  const capture = loadCapture('api-deletion');

  it('is not the cause of a death that came before it', () => {
    const later = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) =>
        line.replace(/"deletionTimestamp":"[^"]*"/, '"deletionTimestamp":"2025-10-09T08:55:00Z"'),
      ),
    );
    expect(judgeCapture(later).attribution.killer).not.toBe('api-deletion');
  });

  it('gives way to a probe failure that kubelet named', () => {
    const probe = withLines(capture, 'events.jsonl', (lines) =>
      lines.map((line) =>
        line.replace('Stopping container eater', 'Container eater failed liveness probe, will be restarted'),
      ),
    );
    expect(judgeCapture(probe).attribution.killer).toBe('liveness-probe');
  });
});

describe('a pod that ends as a whole because a probe of its last container failed', () => {
  const capture = loadCapture('startup-probe-ends-pod');
  const LINE = 'Container starter failed startup probe';
  const withLine = (text: string): Capture => changedIn(capture, 'node-1/kubelet.jsonl', LINE, text);

  it.each<[string, () => Capture, Killer]>([
    ['by the words of the kubelet', () => capture, 'liveness-probe'],
    [
      'not by those about another container',
      () => withLine('Container other failed startup probe'),
      'unknown',
    ],
    [
      'not by those about a container that is restarted',
      () => withLine(`${LINE}, will be restarted`),
      'unknown',
    ],
  ])('%s', (_, changedCapture, killer) => {
    expect(judgeCapture(changedCapture()).attribution.killer).toBe(killer);
  });
});

describe('a pod that the kubelet ends and that succeeds keeps no reason', () => {
  const capture = loadCapture('critical-pod--v1');
  const EVENT = [
    'events.jsonl',
    '"reason":"Preempting","message":"Preempted in order to admit critical pod"',
  ];
  const LINE = ['node-1/kubelet.jsonl', 'Preempting pod to free up resources'];
  const CONDITION = ['pods.jsonl', 'Pod was preempted by Kubelet to accommodate a critical pod.'];
  const without = (...gone: readonly string[][]): Capture =>
    gone.reduce((left, [path = '', text = '']) => changedIn(left, path, text, 'Odd'), capture);
  const unheard = (heard: Capture): Capture => {
    const files = new Map(heard.files);
    files.delete('events.jsonl');
    return { ...heard, files };
  };
  const EVICTED = 'The node was low on resource: memory. ';

  it.each<[string, () => Capture, Killer]>([
    ['as it was', () => capture, 'preemption'],
    ['its event says so', () => without(LINE, CONDITION), 'preemption'],
    ['the log of the kubelet says so', () => unheard(without(CONDITION)), 'preemption'],
    ['its condition says so', () => unheard(without(LINE)), 'preemption'],
    [
      'an event of an eviction says so',
      () =>
        changedIn(
          without(LINE, CONDITION),
          'events.jsonl',
          'Preempting","message":"',
          `Evicted","message":"${EVICTED}`,
        ),
      'kubelet-eviction',
    ],
    [
      'a condition of an eviction says so',
      () => changedIn(unheard(without(LINE)), 'pods.jsonl', CONDITION[1] ?? '', EVICTED),
      'kubelet-eviction',
    ],
    ['nothing says so', () => without(EVENT, LINE, CONDITION), 'unknown'],
  ])('%s', (_, changedCapture, killer) => {
    expect(judgeCapture(changedCapture()).attribution.killer).toBe(killer);
  });

  it('leaves both open where nobody heard its events', () => {
    const { open = [] } = judgeCapture(unheard(without(LINE, CONDITION))).attribution;
    expect(open.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['an eviction by the kubelet', 'a preemption']),
    );
  });
});

describe('what is said of a later end', () => {
  it.each([
    ['an eviction', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }],
    ['a deadline', { phase: 'Failed', reason: 'DeadlineExceeded' }],
    [
      'a preemption',
      { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
    ],
    [
      'a shutdown',
      { phase: 'Failed', reason: 'Terminated', message: 'in response to imminent node shutdown' },
    ],
  ])('%s does not explain why the probe had it restarted', (_, status) => {
    const story = new Story()
      .event(5, 'Killing', 'Container main failed liveness probe, will be restarted')
      .runtimeStops(6, { sender: RUNTIME })
      .exit(6.1);
    restartContainer(story, 143);
    const last = terminated(6, 143);
    story.pod(20, { state: terminated(19, 137), last, restarts: 1, id: NEXT.id, status });
    expect(killerOf(story)).toBe('liveness-probe');
  });
});
