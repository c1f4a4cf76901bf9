import { describe, expect, it } from 'vitest';
import { adviseOn } from '../../../lab/report/words/advise.ts';
import type { Killer } from '../../../lab/model/killers/killers.ts';
import { changedIn } from '../../fixtures/evidence/change-capture.ts';
import { told } from '../../fixtures/evidence/hand-written.ts';
import { judgeCapture, loadCapture, withLines, type Capture } from '../../fixtures/evidence/load-capture.ts';
import { CAST, isoSeconds, running, scopeOf, Story, terminated } from '../../fixtures/evidence/story.ts';

const RUNTIME = [1200, 'runc', '/system.slice/containerd.service'] as const;
const SHELL = [4242, 'bash', '/user.slice/user-0.slice/session-1.scope'] as const;

/** The story with one text of one file changed everywhere. */
function changed(name: string, path: string, from: string, to: string): Capture {
  return changedIn(told(name), path, from, to);
}

/** Somebody's process dies by hand; a second later the node runs out of memory, and the victim dies. */
function killedAfterAnotherByHand(): Capture {
  const caller = 'invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL)';
  const chosen = (pid: number, comm: string, cgroup: string): string =>
    `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=x,mems_allowed=0,global_oom,task_memcg=${cgroup},task=${comm},pid=${pid},uid=0`;
  const story = new Story()
    .kernel(4.6, 'sysrq: Manual OOM execution')
    .kernel(4.7, `kworker/1:2 ${caller}, order=-1, oom_score_adj=0`)
    .kernel(4.7, chosen(4242, 'bash', '/user.slice'))
    .kernel(4.7, 'Out of memory: Killed process 4242 (bash) total-vm:1kB')
    .kernel(5.7, `main ${caller}, order=0, oom_score_adj=1000`)
    .kernel(5.7, chosen(CAST.init, 'main', scopeOf(CAST.container)))
    .kernel(5.7, `Out of memory: Killed process ${CAST.init} (main) total-vm:1kB`);
  story.values(5.8, scopeOf(CAST.container), 'memory.events', { oom: 0, oom_kill: 1 });
  return story
    .exit(5.8)
    .pod(7, { state: terminated(5, 137, 'OOMKilled') })
    .tell({ killer: 'global-oom' });
}

const WITNESS = 'node-1/witness.jsonl';
const SYSTEM = 'node-1/system.jsonl';

describe('one changed fact decides', () => {
  it.each<[string, () => Capture, Killer]>([
    [
      'systemd-oomd by name only, in the cgroup of a shell',
      () => changed('systemd-oomd', WITNESS, '/system.slice/systemd-oomd.service', SHELL[2]),
      'external-signal',
    ],
    [
      'earlyoom by name only, in the cgroup of a shell',
      () => changed('earlyoom', WITNESS, '/system.slice/earlyoom.service', SHELL[2]),
      'external-signal',
    ],
    [
      'a shim that went first, signalled by nobody',
      () =>
        changed('shim-killed', WITNESS, `"pid":${CAST.shim},"comm":"containerd-shim"`, '"pid":7,"comm":"x"'),
      'runtime-lost',
    ],
    [
      'a deadline that is an eviction',
      () => changed('deadline', 'pods.jsonl', '"DeadlineExceeded"', '"Evicted"'),
      'kubelet-eviction',
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
      'a fork refused long before the end',
      () => {
        const story = new Story().values(4, scopeOf(CAST.container), 'pids.events', { max: 3 });
        return story
          .exit(25)
          .pod(26, { state: terminated(25, 2) })
          .tell({ killer: 'self-exit' });
      },
      'self-exit',
    ],
    [
      'a refused fork of which only the kernel tells',
      () => changed('pids-limit', WITNESS, '"max":"3"', '"max":"0"'),
      'pids-limit',
    ],
    [
      'a sandbox that the runtime stopped after the container',
      () => {
        const metadata = { deletionTimestamp: isoSeconds(35), deletionGracePeriodSeconds: 30 };
        const story = new Story().pod(5, { state: running(3), metadata });
        story.signal(6, { sig: 15, pid: CAST.init, sender: RUNTIME }).exit(6.05);
        story.signal(7, { sig: 9, pid: CAST.pausePid, comm: 'pause', sender: RUNTIME });
        story.exit(7.01, CAST.pausePid, 'pause');
        return story.pod(8, { state: terminated(6, 143), metadata }).tell({ killer: 'api-deletion' });
      },
      'api-deletion',
    ],
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
    [
      'an exit with 159 and no word of seccomp',
      () => changed('seccomp-audit-only', 'node-1/kmsg.log', 'type=1326', 'type=1400'),
      'self-exit',
    ],
    [
      'a container that never ran, of which only the kernel tells',
      () =>
        changedIn(
          loadCapture('container-init-oom'),
          'events.jsonl',
          'memory limit too low',
          'memory limit to know',
        ),
      'container-init-oom',
    ],
  ])('%s', (_, capture, killer) => {
    expect(judgeCapture(capture()).attribution.killer).toBe(killer);
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
  it('a condition that names nobody leaves a plain deletion', () => {
    const drained = loadCapture('api-eviction');
    const judged = judgeCapture(changedIn(drained, 'pods.jsonl', 'EvictionByEvictionAPI', 'Other'));
    expect(judged.attribution).toMatchObject({ killer: 'api-deletion', how: 'delete' });
    expect(judged.verdict).toBe('failed');
  });

  it('without a word of the kubelet a reboot is only likely', () => {
    const capture = withLines(
      withLines(told('node-reboot'), 'nodes.jsonl', undefined),
      'events.jsonl',
      () => [],
    );
    expect(judgeCapture(capture).attribution).toMatchObject({ killer: 'node-reboot', confidence: 'likely' });
  });

  it("without its cgroup and its log a service's name is not enough", () => {
    const nameless = withLines(
      changed(
        'systemd-oomd',
        WITNESS,
        '"senderCgroup":"/system.slice/systemd-oomd.service"',
        '"senderCgroup":""',
      ),
      SYSTEM,
      undefined,
    );
    expect(judgeCapture(nameless).attribution).toMatchObject({
      killer: 'systemd-oomd',
      confidence: 'likely',
    });
  });

  it('an OOM kill that somebody asked for says so to the reader, and who died is the same', () => {
    const judged = judgeCapture(told('global-oom-by-hand'));
    expect(judged.attribution.because.map((each) => each.text)).toEqual(
      expect.arrayContaining([
        'sysrq: Manual OOM execution',
        expect.stringMatching(/^kworker\/1:2 invoked oom-killer: .* order=-1, /),
      ]),
    );
    expect(judged.claims[0]?.says).toBe(
      `OOM killer (global), asked for by hand with SysRq f, killed pid ${CAST.init} (main)`,
    );
    expect(adviseOn(judged.attribution)).toContain('the node need not have been out of memory');
  });

  it('an allocation that failed makes it a node that ran out of memory', () => {
    const judged = judgeCapture(changed('global-oom-by-hand', 'node-1/kmsg.log', 'order=-1', 'order=0'));
    expect(judged.attribution).toMatchObject({ killer: 'global-oom', level: 'node', how: 'single-process' });
    expect(judged.claims[0]?.says).toBe(`OOM killer (global) killed pid ${CAST.init} (main)`);
    expect(adviseOn(judged.attribution)).toContain('give every pod a memory limit');
    expect(judged.verdict).toBe('failed');
  });

  it.each([
    [
      'of the next container of the pod, later, takes no proof away',
      9,
      'proven',
      'oom_kill went from 0 to 2',
    ],
    ['of another container of the pod, before, may be what the pod counted', 5, 'likely', 'not read again'],
  ])('an OOM kill %s', (_what, otherAt, confidence, claim) => {
    const scope = scopeOf(CAST.container);
    const pod = scope.slice(0, scope.lastIndexOf('/'));
    const killed = (story: Story, at: number, pid: number, task: string): Story =>
      story
        .kernel(
          at,
          `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${pod},task_memcg=${task},task=main,pid=${pid},uid=0`,
        )
        .kernel(at, `Memory cgroup out of memory: Killed process ${pid} (main) total-vm:1kB`);
    const story = new Story()
      .values(3, scope, 'memory.events', { oom: 0, oom_kill: 0 })
      .values(3, pod, 'memory.events', { oom: 0, oom_kill: 0 });
    for (const [at, pid, task] of [
      [5.7, CAST.init, scope],
      [otherAt, 4343, `${pod}/cri-containerd-${'9'.repeat(64)}.scope`],
    ] as const)
      killed(story, at, pid, task);
    story
      .values(5.8, pod, 'memory.events', { oom: 1, oom_kill: 2 })
      .exit(5.8)
      .pod(7, { state: terminated(5, 137, 'OOMKilled') });
    const judged = judgeCapture(story.tell({ killer: 'memcg-oom', mayDie: ['*/*/*'] }));
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', level: 'pod', confidence });
    expect(judged.claims[1]?.says).toContain(claim);
    expect(judged.claims[1]?.agrees).toBe(confidence === 'proven' ? true : null);
  });

  it.each([
    ['its condition, where it succeeded', 'pods'],
    ["the kubelet's own line, where the API went down too early to be told", 'kubelet'],
  ])('a node that goes down is told by %s', (_what, teller) => {
    const message = 'Pod was terminated in response to imminent node shutdown.';
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message };
    const story = new Story().signal(6, { sig: 15, pid: CAST.init, sender: RUNTIME });
    if (teller === 'kubelet')
      story.kubelet(
        5,
        'I1 x "Shutdown manager killing pod with gracePeriod" pod="default/victim" gracePeriod=1',
      );
    const status = { phase: 'Succeeded', conditions: teller === 'pods' ? [condition] : [] };
    story.exit(6.1).pod(7, { state: terminated(6, 0, 'Completed'), status });
    const judged = judgeCapture(story.tell({ killer: 'node-shutdown' }));
    expect(judged).toMatchObject({ verdict: 'passed', attribution: { killer: 'node-shutdown' } });
  });

  it('the first process dies of its own OOM, whatever took a child before', () => {
    const scope = scopeOf(CAST.container);
    const story = new Story()
      .process(3, 4243, 9, 'worker', scope)
      .kernel(
        4,
        `oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=x,mems_allowed=0,global_oom,task_memcg=${scope},task=worker,pid=4243,uid=0`,
      )
      .kernel(4, 'Out of memory: Killed process 4243 (worker) total-vm:1kB')
      .values(4.1, scope, 'memory.events', { oom: 0, oom_kill: 1 })
      .kernel(
        5.7,
        `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${scope},task_memcg=${scope},task=main,pid=${CAST.init},uid=0`,
      )
      .kernel(5.7, `Memory cgroup out of memory: Killed process ${CAST.init} (main) total-vm:1kB`)
      .values(5.8, scope, 'memory.events', { oom: 1, oom_kill: 2 })
      .exit(5.8)
      .pod(7, { state: terminated(5, 137, 'OOMKilled') });
    const judged = judgeCapture(story.tell({ killer: 'memcg-oom' }));
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', level: 'container', process: 'init' });
    expect(judged.claims[0]?.says).toContain(`OOM killer (memcg) killed pid ${CAST.init} (main)`);
  });

  it('an OOM kill of another process by hand is none of the victim', () => {
    const judged = judgeCapture(killedAfterAnotherByHand());
    expect(judged.attribution).toMatchObject({ killer: 'global-oom', how: 'single-process' });
    expect(judged.attribution.because.map((each) => each.text).join()).not.toContain('Manual OOM');
  });

  it('a container named like a kernel message kills nobody', () => {
    const name = 'Memory cgroup out of memory: Killed process 812 (main) total-vm:1kB';
    const capture = loadCapture('api-delete');
    const files = new Map(
      [...capture.files].map(([path, content]) => [
        path,
        content.replaceAll('"comm":"sleeper"', `"comm":"${name}"`),
      ]),
    );
    expect(judgeCapture({ ...capture, files }).attribution.killer).toBe('api-deletion');
  });
});

it('who never says OOMKilled is named as wrong, by kernel and counters (containerd lost the event)', () => {
  const { attribution, claims } = judgeCapture(loadCapture('cron-job-oom--oom-event-lost'));
  expect(attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'proven' });
  const agrees = Object.fromEntries(claims.map((each) => [each.layer, each.agrees]));
  expect(agrees).toMatchObject({ kernel: true, cgroup: true, runtime: false, api: false });
});
