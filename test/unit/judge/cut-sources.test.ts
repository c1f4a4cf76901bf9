import { describe, expect, it } from 'vitest';
import type { EvidenceSource } from '../../../lab/model/evidence/evidence-files.ts';
import type { Attribution } from '../../../lab/model/saved/formats.ts';
import { judgeCapture, withLines, type Capture } from '../../fixtures/evidence/load-capture.ts';
import { leaveOnly } from '../../fixtures/evidence/take-away.ts';
import { allStories } from '../../fixtures/told/all-stories.ts';

/** Stories that end otherwise than they seem to when a source lacks the records that decide. */
const stories = await allStories();

function tell(name: RegExp): Capture {
  const [found, ...others] = stories.filter((story) => name.test(story.name));
  if (found === undefined || others.length > 0)
    throw new Error(`${others.length} other stories match ${String(name)}`);
  return found.tell();
}

function judge(capture: Capture): Attribution {
  return judgeCapture(capture).attribution;
}

/** The story with these sources alone; the journals of the others are empty. */
function leave(capture: Capture, ...left: EvidenceSource[]): Capture {
  const changed = leaveOnly(capture, left, 'empty');
  return leaveOnly(changed ?? capture, left, 'absent') ?? capture;
}

const KUBELET = 'node-1/kubelet.jsonl';
const WITNESS = 'node-1/witness.jsonl';

/** The witness was told to stop at this time of its monotonic clock, in ms: it has nothing younger. */
function stopWitnessAt(capture: Capture, stopMs: number): Capture {
  return withLines(capture, WITNESS, (lines) => {
    const kept = lines.filter((line) => monoOf(line) <= stopMs * 1000);
    const last = JSON.parse(kept.at(-1) ?? '{}') as { seq: number; at: number; mono: number };
    return [...kept, JSON.stringify({ seq: last.seq + 1, at: last.at, mono: last.mono, kind: 'stop' })];
  });
}

function monoOf(line: string): number {
  return (JSON.parse(line) as { mono: number }).mono;
}

describe('a request of the second in which the runtime stopped the container', () => {
  const story = tell(/crictl stop; 400 ms later, in the same second, the node evicts the pod/);

  it('is not blamed when the runtime was asked twice, and no kubelet says when it acted', () => {
    const cut = withLines(story, KUBELET, (lines) => lines.slice(0, 2));
    expect(judge(cut)).toMatchObject({ killer: 'unknown' });
  });

  it('is likely at most when the runtime was asked once', () => {
    const once = withLines(
      withLines(story, KUBELET, (lines) => lines.slice(0, 2)),
      'node-1/containerd.jsonl',
      (lines) => lines.filter((line) => !line.includes('1760000006600000')),
    );
    expect(judge(once)).toMatchObject({
      killer: 'kubelet-eviction',
      confidence: 'likely',
      doubts: expect.arrayContaining([
        'nothing tells whether it was asked for before the kubelet began to stop it',
      ]) as unknown,
    });
  });
});

describe('without a trace, a request of the second of the end', () => {
  it('is not blamed for an exit code that no stop leaves behind', () => {
    const story = tell(
      /no witness: the program ended by itself with 2, and the kubelet gave up on its probe/,
    );
    expect(judge(leave(story, 'pods', 'events'))).toMatchObject({ killer: 'unknown' });
  });
});

describe('a witness that was stopped before the end', () => {
  const story = tell(/it is refused a fork, and three seconds later a shell stops it/);

  it('has missed what ended it: no refused fork is blamed for the exit code of a signal', () => {
    expect(judge(story).killer).toBe('external-signal');
    expect(judge(stopWitnessAt(story, 305_500))).toMatchObject({ killer: 'unknown' });
  });

  it('does not tell that a killed worker was none', () => {
    const worker = tell(
      /the worker that somebody killed had the number of one that the OOM killer had taken before/,
    );
    expect(judge(stopWitnessAt(worker, 304_000)).killer).toBe('unknown');
  });
});
