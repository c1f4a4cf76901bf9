import { describe, expect, it } from 'vitest';
import { judgeCapture, withLines, type Capture } from '../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../fixtures/told/cast.ts';
import { Story } from '../../../fixtures/told/story.ts';

const PODS = '/kubepods.slice';
const LIMIT = `oom_memcg=${CAST.slice},task_memcg=${scopeOf(CAST.container)},task=worker,pid=${CAST.child},uid=0`;

/** A program that ends by itself at second 20; the kernel killed a worker of it at second 6. */
function told(change: (story: Story) => Story = (story) => story): Capture {
  const story = new Story()
    .cgroup(2, PODS)
    .process(3, CAST.child, 7, 'worker', scopeOf(CAST.container))
    .kernel(6, `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,${LIMIT}`)
    .kernel(
      6,
      `Memory cgroup out of memory: Killed process ${CAST.child} (worker) total-vm:1kB, anon-rss:1kB`,
    )
    .values(6.1, PODS, 'memory.events', { oom: 1, oom_kill: 1 })
    .exit(6.05, CAST.child, 'worker');
  return change(story)
    .exit(20)
    .pod(21, { state: terminated(20, 3) })
    .tell({ killer: 'self-exit' });
}

const whatOf = (capture: Capture): string[] =>
  (judgeCapture(capture).attribution.findings ?? []).map(({ what, explained }) => `${explained}: ${what}`);

describe("the kernel's count of OOM kills", () => {
  it('close: the worker is a finding, and the end of its own is likely: it may follow from that', () => {
    expect(judgeCapture(told()).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
    expect(whatOf(told())).toEqual([
      expect.stringMatching(/^true: the OOM killer took a process of it, pid 845/),
    ]);
  });

  it('have a kill that the log does not name: nothing is proven', () => {
    const more = told((story) => story.values(8, PODS, 'memory.events', { oom: 2, oom_kill: 2 }));
    expect(judgeCapture(more).attribution).toMatchObject({ killer: 'self-exit', confidence: 'likely' });
    expect(whatOf(more)).toContain('false: 1 OOM kill was counted that no line of the kernel log names');
  });

  it('leave out what was counted after the log had ended', () => {
    const later = told((story) => story.values(31, PODS, 'memory.events', { oom: 2, oom_kill: 2 }));
    expect(whatOf(later)).toEqual(whatOf(told()));
  });

  it('of the node have one more than the log: nothing is proven either', () => {
    const more = withLines(told(), 'node-1/witness.jsonl', (lines) =>
      lines.map((line) => line.replace('"oomKills":1', '"oomKills":2')),
    );
    expect(judgeCapture(more).attribution.confidence).toBe('likely');
  });

  it('have fewer kills than the log has lines: somebody else writes them, and the verdict is void', () => {
    const fewer = withLines(told(), 'node-1/witness.jsonl', (lines) =>
      lines.map((line) => line.replace('"oomKills":1', '"oomKills":0')),
    );
    const { verdict, note } = judgeCapture(fewer);
    expect(verdict).toBe('inconclusive');
    expect(note).toContain('more than the kernel counted');
  });
});
