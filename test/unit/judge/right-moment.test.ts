import { describe, expect, it } from 'vitest';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import { judgeCapture } from '../../fixtures/evidence/load-capture.ts';
import { CAST, isoSeconds, running, scopeOf, Story, terminated } from '../../fixtures/evidence/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;
const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;
const OWN = scopeOf(CAST.container);
const NEXT = '77aa9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1abb';
const STOPS = `"Killing container with a grace period" pod="default/victim" podUID="${CAST.uid}" containerName="main" containerID="containerd://${CAST.container}" gracePeriod=30`;

const attributionOf = (story: Story) => judgeCapture(story.tell({ killer: 'none' })).attribution;
const killerOf = (story: Story): Killer => attributionOf(story).killer;

/** The container ends at second 6; a second one follows it in the same pod. */
function restarted(story: Story, exitCode: number, status: Record<string, unknown> = {}): Story {
  const last = terminated(6, exitCode);
  return story.pod(8, { state: running(7), last, restarts: 1, id: NEXT, status });
}

function deleted(): Story {
  const metadata = { deletionTimestamp: isoSeconds(34), deletionGracePeriodSeconds: 30 };
  const story = new Story().pod(4, { state: running(3), metadata });
  return story.kubelet(4.1, STOPS).event(4, 'Killing', 'Stopping container main');
}

describe('a program that ends while its preStop hook runs', () => {
  it.each([
    [
      'is told to by the hook',
      () => deleted().signal(5, { sig: 15, pid: CAST.init, sender: [900, 'kill', OWN] }),
      143,
    ],
    ['is told to over the network', () => deleted(), 0],
  ])('%s: nobody can say that it did so by itself', (_, tell, code) => {
    const told = judgeCapture(
      tell()
        .exit(5.5)
        .pod(6, { state: terminated(5, code) })
        .tell({ killer: 'none' }),
    );
    expect(told.attribution.killer).toBe('unknown');
    expect(told.note).toContain('preStop hook');
    expect(told.attribution.because.map((each) => each.source)).toContain('kubelet');
  });

  it('does so by itself when nobody had meant to stop it', () => {
    const alone = new Story().exit(5.5).pod(6, { state: terminated(5, 3) });
    expect(attributionOf(alone)).toMatchObject({ killer: 'self-exit', confidence: 'proven' });
    const signalled = new Story().signal(5, { sig: 15, pid: CAST.init, sender: [900, 'kill', OWN] });
    expect(killerOf(signalled.exit(5.5).pod(6, { state: terminated(5, 143) }))).toBe('self-signal');
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
      .signal(6, { sig: 15, pid: CAST.init, sender: RUNTIME })
      .exit(6.1);
    restarted(story, 143);
    const last = terminated(6, 143);
    story.pod(20, { state: terminated(19, 137), last, restarts: 1, id: NEXT, status });
    expect(killerOf(story)).toBe('liveness-probe');
  });

  it('an OOM kill of the next container is none of the one that exited', () => {
    const story = new Story().exit(6);
    restarted(story, 1).cgroup(7, scopeOf(NEXT)).process(7, 950, 1, 'main', scopeOf(NEXT));
    // The clock of the kernel's log runs a little apart from that of the counters.
    for (const file of ['memory.events', 'memory.events.local'])
      story.values(15, CAST.slice, file, { oom: 1, oom_kill: 1 });
    const limit = `oom_memcg=${CAST.slice},task_memcg=${scopeOf(NEXT)},task=main,pid=950,uid=0`;
    story.kernel(
      15.01,
      `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,${limit}`,
    );
    story.kernel(15.01, 'Memory cgroup out of memory: Killed process 950 (main) total-vm:1kB, anon-rss:1kB');
    expect(killerOf(story)).toBe('self-exit');
  });

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
      const story = deleted().signal(at, { sig, pid: CAST.init, sender: RUNTIME });
      story.values(15, CAST.slice, 'pids.events', { max: 0 });
      story.boot(nextBoot, 20, 2).node(21, nextBoot);
      return story.pod(24, { state: terminated(18, 255, 'Unknown') });
    };
    const judged = (sig: number, at: number) =>
      judgeCapture(asked(sig, at).tell({ killer: 'none' }, 2)).attribution;
    expect(judged(15, 5)).toMatchObject({ killer: 'node-reboot', confidence: 'likely' });
    expect(judged(15, 5).because.map((each) => each.source)).toContain('trace');
    expect(judged(9, 5).killer, 'nothing survives SIGKILL').not.toBe('node-reboot');
    expect(judged(15, 14.5).killer, 'it may have ended of that').not.toBe('node-reboot');
  });

  it('an event that the trace had lost by then may have been the signal', () => {
    const lost = { source: 'trace', why: 'CPU:0 [LOST 812 EVENTS]' };
    const story = (at: number): Story =>
      new Story()
        .exit(6.01)
        .pod(6, { state: terminated(6, 3) })
        .witness(at, 'lost', lost);
    expect(killerOf(story(10)), 'the ring holds newer events').toBe('unknown');
    expect(killerOf(story(25))).toBe('self-exit');
  });

  it('a sandbox that was killed before the container began did not end it', () => {
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
    expect(killerOf(story)).toBe('self-exit');
  });
});

describe('a signal that did not go to the first process, or long ago', () => {
  const child = (): Story => new Story().process(3, CAST.child, 7, 'app', OWN);

  it.each<[string, number, Killer]>([
    ['a SIGTERM from outside', 143, 'external-signal'],
    ['a SIGTERM from outside that the shell turns into', 1, 'external-signal'],
  ])('%s to the program under a shell ended it, exit %i', (_, code, killer) => {
    const story = child().signal(6, { sig: 15, pid: CAST.child, comm: 'app', sender: SHELL });
    story.exit(6.1, CAST.child, 'app').exit(6.2);
    expect(attributionOf(story.pod(7, { state: terminated(6, code) }))).toMatchObject({
      killer,
      process: 'child',
      confidence: 'likely',
    });
  });

  it('the kill of a probe that hung is not the stop of the container', () => {
    const story = child().signal(5, { sig: 9, pid: CAST.child, comm: 'app', sender: RUNTIME });
    story.exit(5.1, CAST.child, 'app').exit(6);
    expect(killerOf(story.pod(7, { state: terminated(6, 1) }))).toBe('self-exit');
  });

  it('the kill of what is left after the end did not cause it', () => {
    const story = child().exit(6).signal(6.03, { sig: 9, pid: CAST.child, comm: 'app', sender: RUNTIME });
    expect(killerOf(story.pod(7, { state: terminated(6, 1) }))).toBe('self-exit');
  });

  it('a request from outside that is answered late leaves it open', () => {
    const story = new Story().signal(4, { sig: 15, pid: CAST.init, sender: SHELL }).exit(20);
    const told = judgeCapture(story.pod(21, { state: terminated(20, 0) }).tell({ killer: 'none' }));
    expect(told.attribution.killer).toBe('unknown');
    expect(told.note).toContain('somebody outside had asked it to stop');
  });

  it('a pod’s process that is called like the runtime is not the runtime', () => {
    const other =
      '/kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice/cri-containerd-x.scope';
    const story = new Story().signal(6, { sig: 9, pid: CAST.init, sender: [950, 'runc', other] }).exit(6.05);
    expect(killerOf(story.pod(7, { state: terminated(6, 137) }))).toBe('external-signal');
  });
});

describe('a record whose kind is not known', () => {
  it('is evidence that was lost: it may have been the signal', () => {
    const killed = (kind: string): Story =>
      new Story()
        .witness(6, kind, {
          sig: 9,
          pid: CAST.init,
          comm: 'main',
          code: 0,
          res: 0,
          senderPid: 955,
          senderComm: 'bash',
        })
        .exit(6.05)
        .pod(7, { state: terminated(6, 137) });
    expect(killerOf(killed('signal'))).toBe('external-signal');
    expect(killerOf(killed('#signal'))).toBe('unknown');
  });
});
