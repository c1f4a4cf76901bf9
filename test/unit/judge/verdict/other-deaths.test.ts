import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { running, terminated } from '../../../fixtures/told/api-words.ts';
import { CAST, isoSeconds, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

const OTHER_ID = 'cc'.repeat(32);
const OTHER = {
  name: 'c',
  containerID: `containerd://${OTHER_ID}`,
  state: running(-500),
  restartCount: 2,
};
const OTHER_SCOPE = `/kubepods.slice/kubepods-poduid_etcd.slice/cri-containerd-${OTHER_ID}.scope`;
const WHO = 'kube-system/etcd/c';

/** A story in which the victim dies of a signal from the node, beside what the test adds. */
function beside(
  tell: (story: Story) => unknown,
  expected: Partial<Outcome> = {},
): ReturnType<typeof judgeCapture> {
  const story = new Story().otherPod(1, 'etcd', OTHER);
  story.signal(6, { sig: 15, pid: CAST.init, sender: [4242, 'bash', '/system.slice/ssh.service'] });
  story.exit(6.01).pod(7, { state: terminated(6, 143) });
  tell(story);
  return judgeCapture(story.tell({ killer: 'external-signal', ...expected }));
}

const restarted = (story: Story): unknown => story.otherPod(20, 'etcd', { ...OTHER, restartCount: 3 });
const oomKilled = (story: Story): unknown =>
  story
    .kernel(
      9,
      `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${OTHER_SCOPE},task_memcg=${OTHER_SCOPE},task=etcd,pid=77,uid=0`,
    )
    .kernel(9, 'Memory cgroup out of memory: Killed process 77 (etcd) total-vm:1kB');

describe('a death that nobody declared fails the cell', () => {
  it.each<[string, (story: Story) => unknown, string]>([
    ['a restart', restarted, `${WHO}: restarted once`],
    ['an OOM kill', oomKilled, `${WHO}: its process 77 (etcd) was OOM-killed`],
    [
      'an OOM kill of which only the counter tells',
      (story) =>
        story
          .values(2, OTHER_SCOPE, 'memory.events', { oom_kill: 4 })
          .values(9, OTHER_SCOPE, 'memory.events', { oom_kill: 5 }),
      `${WHO}: oom_kill went from 4 to 5`,
    ],
    [
      "an OOM kill of which only the node's counter tells",
      (story) => [2, 10, 18, 26].map((at) => story.witness(at, 'node', { oomKills: at < 20 ? 5 : 6 })),
      'node-1/process/unnamed: the node counts 1 OOM kills, the kernel log has 0',
    ],
    [
      'an end with a code',
      (story) => story.otherPod(20, 'etcd', { ...OTHER, state: terminated(20, 1) }),
      `${WHO}: ended: Error, exit 1`,
    ],
    [
      'an end that only the trace saw',
      (story) =>
        story
          .process(2, 555, 1, 'etcd', OTHER_SCOPE)
          .witness(9, 'exit', { pid: 555, comm: 'etcd', cgroup: OTHER_SCOPE }),
      `${WHO}: pid 555 (etcd) ended, and the trace has no signal to it`,
    ],
    [
      'a deletion of a running pod',
      (story) => story.otherPod(20, 'etcd', OTHER, { deletionTimestamp: isoSeconds(20) }),
      `${WHO}: was deleted while it ran`,
    ],
    [
      'an oops',
      (story) => story.kernel(9, 'BUG: kernel NULL pointer dereference, address: 0'),
      'node-1/kernel/oops: BUG: kernel NULL pointer dereference, address: 0',
    ],
  ])('%s', (_, tell, observed) => {
    const judged = beside(tell);
    expect(judged.attribution).toMatchObject({ killer: 'external-signal', confidence: 'proven' });
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches.map((mismatch) => mismatch.observed.replace(/ \([^ ()]+:\d+\)$/, ''))).toEqual([
      observed,
    ]);
    const [glob] = observed.split(': ');
    expect(beside(tell, { mayDie: [glob ?? ''] }).verdict).toBe('passed');
  });

  it('but none of these', () => {
    const quiet = beside((story) => {
      for (const at of [2, 10, 18, 26]) story.witness(at, 'node', { oomKills: 5 });
      return (
        story
          .otherPod(20, 'etcd', OTHER)
          .otherPod(20, 'job', {
            ...OTHER,
            restartCount: 0,
            containerID: '',
            state: terminated(20, 0, 'Completed'),
          })
          .otherPod(5, 'probe', { ...OTHER, containerID: '' }, { deletionTimestamp: isoSeconds(-5) })
          .kernel(9, 'audit: type=1400 comm="BUG: not the kernel"')
          // The kernel log was read until second 30: what is counted later has no line in it.
          .witness(30.5, 'node', { oomKills: 7 })
      );
    });
    expect(quiet).toMatchObject({ verdict: 'passed', mismatches: [] });
  });
});

describe('the mirror of a static pod that is made again in the cell', () => {
  const made = { creationTimestamp: isoSeconds(12) };
  const again = (story: Story, state: object, restartCount: number): unknown =>
    story.otherPod(14, 'etcd-node-1', { ...OTHER, state, restartCount }, { ...made, uid: 'uid-again' });

  it('has restarts of before the cell, and so nobody died', () => {
    const lastState = terminated(-130, 137);
    const told = (story: Story): unknown =>
      story.otherPod(
        14,
        'etcd-node-1',
        { ...OTHER, restartCount: 1, lastState },
        { ...made, uid: 'uid-again' },
      );
    expect(beside(told)).toMatchObject({ verdict: 'passed', mismatches: [] });
  });

  it('and a restart in the cell is one, whether the mirror was there by then or not', () => {
    const who = 'kube-system/etcd-node-1/c';
    const later = beside((story) => [again(story, running(-500), 1), again(story, running(20), 2)]);
    expect(later.mismatches).toMatchObject([
      { observed: expect.stringContaining(`${who}: restarted once`) as string },
    ]);
    const earlier = beside((story) => again(story, running(13), 1));
    expect(earlier.mismatches).toMatchObject([
      { observed: expect.stringContaining(`${who}: restarted once`) as string },
    ]);
  });
});

describe('a death that was declared', () => {
  it('must come', () => {
    expect(beside(restarted, { alsoDies: ['kube-system/e*/c'] }).verdict).toBe('passed');
    const missing = beside(() => undefined, { alsoDies: ['kube-system/e*/c'] });
    expect(missing.mismatches).toEqual([
      { field: 'alsoDies', expected: 'kube-system/e*/c dies as well', observed: 'it did not' },
    ]);
  });
});

describe('who must survive', () => {
  const alsoSurvives = ['kube-system/etcd/*'];

  it('is seen running at the end', () => {
    expect(beside(() => undefined, { alsoSurvives }).verdict).toBe('passed');
    expect(beside(restarted, { alsoSurvives, mayDie: ['kube-system/*/*'] }).mismatches).toMatchObject([
      { field: 'alsoSurvives', observed: `${WHO}: restarted once` },
    ]);
    expect(beside(() => undefined, { alsoSurvives: ['x/y/z'] }).mismatches).toMatchObject([
      { observed: 'no such container was seen' },
    ]);
  });
});

describe('a death that was under way before there was a workload', () => {
  const failed =
    (at: number, probe: string): ((story: Story) => Story) =>
    (story) =>
      story.klog(
        at,
        'prober.go:120',
        `"Probe failed" probeType="${probe}" pod="kube-system/etcd" podUID="uid_etcd" containerName="c" probeResult="failure" output="HTTP probe failed with statuscode: 500"`,
      );
  const judge = (at: number, probe: string, more = restarted): ReturnType<typeof judgeCapture> =>
    beside((story) => more(failed(at, probe)(story)));

  it('says nothing of the cell', () => {
    const { verdict, note } = judge(0.5, 'Liveness');
    expect(verdict).toBe('inconclusive');
    expect(note).toMatch(
      /^void, the machines were disturbed: kube-system\/etcd\/c failed its probe before the workload was there \(node-1\/kubelet\.jsonl:\d+\)$/,
    );
    expect(judge(0.5, 'Startup').verdict).toBe('inconclusive');
  });

  it('fails it where the probe failed later, ends nobody, or somebody else died as well', () => {
    expect(judge(4, 'Liveness').verdict).toBe('failed');
    expect(judge(0.5, 'Readiness').verdict).toBe('failed');
    const both = (story: Story): unknown => {
      restarted(story);
      return story.otherPod(1, 'dns', { ...OTHER, containerID: 'containerd://dd' }).otherPod(20, 'dns', {
        ...OTHER,
        containerID: 'containerd://dd',
        restartCount: 3,
      });
    };
    expect(judge(0.5, 'Liveness', both).verdict).toBe('failed');
  });
});

describe("the victim's own", () => {
  it('OOM kill is no other death where one is declared, and is one where none is', () => {
    const tell = (expected: Outcome): ReturnType<typeof judgeCapture> => {
      const scope = scopeOf(CAST.container);
      const story = new Story().values(5.9, scope, 'memory.events', { oom: 1, oom_kill: 1 });
      story.kernel(
        5.9,
        `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${scope},task_memcg=${scope},task=main,pid=${CAST.init},uid=0`,
      );
      story.kernel(5.9, `Memory cgroup out of memory: Killed process ${CAST.init} (main) total-vm:1kB`);
      return judgeCapture(
        story
          .exit(5.95)
          .pod(7, { state: terminated(5, 137, 'OOMKilled') })
          .tell(expected),
      );
    };
    expect(tell({ killer: 'memcg-oom' }).verdict).toBe('passed');
    expect(tell({ killer: 'none', or: [{ killer: 'memcg-oom', how: ['single-process'] }] })).toMatchObject({
      verdict: 'passed',
      mismatches: [],
    });
    expect(tell({ killer: 'self-exit' }).mismatches.map((mismatch) => mismatch.field)).toEqual([
      'killer',
      'nobodyElseDies',
    ]);
  });
});

it('compares a hostile glob in a time that grows with its length alone', () => {
  const name = 'a'.repeat(200);
  const named = { ...OTHER, name };
  const tell = (story: Story): unknown =>
    story.otherPod(2, 'etcd', named).otherPod(20, 'etcd', { ...named, restartCount: 3 });
  const { mismatches } = beside(tell, { mayDie: [`kube-system/etcd/${'*a'.repeat(60)}*b`] });
  expect(mismatches).toMatchObject([
    { observed: expect.stringContaining(`kube-system/etcd/${name}: restarted once`) as string },
  ]);
});
