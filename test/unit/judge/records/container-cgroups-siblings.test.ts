import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { CAST, scopeOf, Story, terminated } from '../../../fixtures/evidence/story.ts';

/** Another container of the victim's pod. */
const SIBLING = scopeOf('77aa9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1abb');

const killerOf = (story: Story): string =>
  judgeCapture(story.tell({ killer: 'self-exit' })).attribution.killer;

describe('what the counters of a pod count of another container', () => {
  it('is a refused fork, since Linux 6.11', () => {
    const story = (forker: string): Story =>
      new Story()
        .cgroup(2, SIBLING)
        .kernel(5, `cgroup: fork rejected by pids controller in ${forker}`)
        .values(5, CAST.slice, 'pids.events', { max: 40 })
        .exit(8)
        .pod(9, { state: terminated(8, 1) });
    expect(killerOf(story(SIBLING))).toBe('self-exit');
    expect(killerOf(story(scopeOf(CAST.container)))).toBe('pids-limit');
    expect(killerOf(story(CAST.slice))).toBe('pids-limit');
  });

  it('is an OOM kill, whose summary the kernel may leave out', () => {
    const story = (killed: string): Story =>
      new Story()
        .cgroup(2, SIBLING)
        .process(3, 950, 1, 'big', SIBLING)
        .kernel(9, 'Memory cgroup out of memory: Killed process 950 (big) total-vm:1kB')
        .values(9, CAST.slice, 'memory.events', { oom: 0, oom_kill: 1 })
        .values(9, CAST.slice, 'memory.events.local', { oom: 1, oom_kill: 0 })
        .values(9, killed, 'memory.events', { oom: 0, oom_kill: 1 })
        .exit(11)
        .pod(12, { state: terminated(11, 1) });
    expect(killerOf(story(SIBLING))).toBe('self-exit');
    expect(killerOf(story(scopeOf(CAST.container)))).not.toBe('self-exit');
  });
});
