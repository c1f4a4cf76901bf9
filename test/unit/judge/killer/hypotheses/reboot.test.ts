import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture, withLines } from '../../../../fixtures/evidence/load-capture.ts';
import { running, terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, isoSeconds } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;

const STOPS = `"Killing container with a grace period" pod="default/victim" podUID="${CAST.uid}" containerName="main" containerID="containerd://${CAST.container}" gracePeriod=30`;

function deleted(): Story {
  const metadata = { deletionTimestamp: isoSeconds(34), deletionGracePeriodSeconds: 30 };
  const story = new Story().pod(4, { state: running(3), metadata });
  return story.kubelet(4.1, STOPS).event(4, 'Killing', 'Stopping container main');
}

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'a container that was killed before its node restarted',
      () => {
        const story = new Story().signal(6, { sig: 9, pid: CAST.init, sender: SHELL }).exit(6.01);
        story
          .pod(7, { state: terminated(6, 137) })
          .boot('another', 20, 2)
          .node(24, 'another');
        return story.tell({ killer: 'external-signal' }, 2);
      },
      'external-signal',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it('without a word of the kubelet a reboot is only likely', () => {
    const capture = withLines(
      withLines(told('node-reboot'), 'nodes.jsonl', undefined),
      'events.jsonl',
      () => [],
    );
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'node-reboot', confidence: 'likely' });
  });
});

describe('what is said of a later end', () => {
  it('a reboot after the runtime had reported the end did not end it', () => {
    const story = new Story().pod(7, { state: terminated(6, 1) });
    const nextBoot = '11111111-2a34-4d0b-9a53-7d4c1c1a9e02';
    story.values(18, CAST.slice, 'pids.events', { max: 0 });
    story.boot(nextBoot, 20, 2).node(21, nextBoot);
    expect(judgeCapture(story.tell({ killer: 'none' }, 2)).attribution.killer).not.toBe('node-reboot');
  });

  it('a reboot ends who was asked to stop, and was still stopping', () => {
    const nextBoot = '11111111-2a34-4d0b-9a53-7d4c1c1a9e02';
    const asked = (sig: number, at: number): Story => {
      const story = deleted().runtimeStops(at, { sender: RUNTIME, grace: sig === 9 ? 0 : 30 });
      story.values(15, CAST.slice, 'pids.events', { max: 0 });
      story.boot(nextBoot, 20, 2).node(21, nextBoot);
      return story.pod(24, { state: terminated(18, 255, 'Unknown') });
    };
    const judged = (sig: number, at: number) =>
      judgeCapture(asked(sig, at).tell({ killer: 'none' }, 2)).attribution;
    expect(judged(15, 5)).toMatchObject({ killer: 'node-reboot', confidence: 'likely' });
    expect(judged(15, 5).because.map((ref) => ref.source)).toContain('trace');
    expect(judged(9, 5).killer, 'nothing survives SIGKILL').not.toBe('node-reboot');
    expect(judged(15, 14.5).killer, 'it may have ended of that').not.toBe('node-reboot');
  });
});
