import { describe, expect, it } from 'vitest';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { killerOf } from '../../judge-story.ts';
import { running } from '../../../../fixtures/told/api-words.ts';
import { CAST, NEXT, isoSeconds, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

describe('what is said of a later end', () => {
  it('the first container that the pod had is judged: its sandbox was killed, whatever ended the next one', () => {
    const story = new Story();
    story
      .signal(3.2, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: SHELL })
      .exit(3.3, CAST.pausePid, 'pause');
    story.event(4, 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.', {
      fieldPath: undefined,
    });
    story.cgroup(5, scopeOf(NEXT.id)).process(5, 950, 1, 'main', scopeOf(NEXT.id));
    story
      .pod(5.5, { state: running(5), id: NEXT.id })
      .witness(8, 'exit', { pid: 950, comm: 'main', cgroup: scopeOf(NEXT.id) });
    const ended = { exitCode: 1, reason: 'Error', startedAt: isoSeconds(5), finishedAt: isoSeconds(8) };
    story.pod(9, {
      state: { terminated: { ...ended, containerID: `containerd://${NEXT.id}` } },
      id: NEXT.id,
    });
    expect(killerOf(story)).toBe('sandbox-died');
  });
});

describe('a sandbox that ends before the container', () => {
  it('is why the runtime stopped the container', () => {
    const { killer, how, because } = judgeCapture(told('sandbox-died')).attribution;
    expect({ killer, how }).toEqual({ killer: 'sandbox-died', how: 'sandbox-killed' });
    expect(because.map(({ text }) => text).join()).toContain('Pod sandbox changed');
  });
});
