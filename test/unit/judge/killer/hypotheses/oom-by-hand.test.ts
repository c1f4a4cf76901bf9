import { describe, expect, it } from 'vitest';
import { adviseOn } from '../../../../../lab/report/words/advise.ts';
import { changedIn } from '../../../../fixtures/evidence/change-capture.ts';
import { told } from '../../../../fixtures/evidence/hand-written.ts';
import { type Capture, judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

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

describe('one changed fact is another way, or a weaker proof', () => {
  it('an OOM kill that somebody asked for says so to the reader, and who died is the same', () => {
    const judged = judgeCapture(told('global-oom-by-hand'));
    expect(judged.attribution.because.map((ref) => ref.text)).toEqual(
      expect.arrayContaining([
        'sysrq: Manual OOM execution',
        expect.stringMatching(/^kworker\/1:2 invoked oom-killer: .* order=-1, /),
      ]),
    );
    expect(judged.claims[0]?.says).toBe(
      `OOM killer (global), asked for by hand with SysRq f, killed pid ${CAST.init} (main)`,
    );
    expect(adviseOn(judged.attribution)).toContain('the node may have had memory left');
  });

  it('an allocation that failed makes it a node that ran out of memory', () => {
    const judged = judgeCapture(changed('global-oom-by-hand', 'node-1/kmsg.log', 'order=-1', 'order=0'));
    expect(judged.attribution).toMatchObject({ killer: 'global-oom', level: 'node', how: 'single-process' });
    expect(judged.claims[0]?.says).toBe(`OOM killer (global) killed pid ${CAST.init} (main)`);
    expect(adviseOn(judged.attribution)).toContain('give every pod a memory limit');
    expect(judged.verdict).toBe('failed');
  });

  it('an OOM kill of another process by hand is none of the victim', () => {
    const judged = judgeCapture(killedAfterAnotherByHand());
    expect(judged.attribution).toMatchObject({ killer: 'global-oom', how: 'single-process' });
    expect(judged.attribution.because.map((ref) => ref.text).join()).not.toContain('Manual OOM');
  });
});
