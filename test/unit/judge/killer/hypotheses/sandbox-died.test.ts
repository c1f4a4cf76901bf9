import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../../../lab/model/killers/killers.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { CAST, Story, isoSeconds, running, scopeOf } from '../../../../fixtures/evidence/story.ts';

const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

const NEXT = '77aa9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1abb';

const attributionOf = (story: Story) => judgeCapture(story.tell({ killer: 'none' })).attribution;

const killerOf = (story: Story): Killer => attributionOf(story).killer;

describe('what is said of a later end', () => {
  it('the first container that the pod had is judged: its sandbox was killed, whatever ended the next one', () => {
    const story = new Story();
    story
      .signal(3.2, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: SHELL })
      .exit(3.3, CAST.pausePid, 'pause');
    story.event(4, 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.', {
      fieldPath: undefined,
    });
    story.cgroup(5, scopeOf(NEXT)).process(5, 950, 1, 'main', scopeOf(NEXT));
    story
      .pod(5.5, { state: running(5), id: NEXT })
      .witness(8, 'exit', { pid: 950, comm: 'main', cgroup: scopeOf(NEXT) });
    const ended = { exitCode: 1, reason: 'Error', startedAt: isoSeconds(5), finishedAt: isoSeconds(8) };
    story.pod(9, { state: { terminated: { ...ended, containerID: `containerd://${NEXT}` } }, id: NEXT });
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
