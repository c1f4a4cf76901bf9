import { expect, it } from 'vitest';
import { judgeCapture } from '../../../../fixtures/evidence/load-capture.ts';
import { leaveOnly, SUBSETS } from '../../../../fixtures/evidence/take-away.ts';
import { allStories } from '../../../../fixtures/told/all-stories.ts';

const stories = await allStories();

/** The witness dates the kernel's log. Without it the kill of a process of the container may have been its end, as in these. */
it.each([
  'held out: the node is short of memory and evicts it, 80 ms after its own limit was hit',
  'held out: the shutdown of the node names its pod, 300 ms after the kernel took it',
  'OOM-killed, and a second later the pod is evicted for the memory of its node',
])('nobody is named beside a kill that nothing dates: %s', (name) => {
  const capture = stories.find((story) => story.name === name)!.tell();
  for (const [choice, left] of SUBSETS.filter(([subset]) => /^API\b.*\bkernel log/.test(subset))) {
    const { killer } = judgeCapture(leaveOnly(capture, left, 'absent')!).attribution;
    expect(['unknown', 'memcg-oom'], choice).toContain(killer);
  }
});
