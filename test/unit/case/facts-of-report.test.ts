import { describe, expect, it } from 'vitest';
import { readCase } from '../../../lab/case/answer/read-case.ts';

describe('what a report lacks', () => {
  it('is named, so that its author can be asked', async () => {
    const { problems } = await readCase([{ path: 'report.md', text: 'My pod died.' }]);
    expect(problems.join('\n')).toMatch(
      /version of Kubernetes.*\n.*kernel or distribution.*\n.*container runtime.*\n.*no trace/,
    );
  });
});

describe('the logs of a report', () => {
  it('are read by the readers of autopsy, wherever they are in the text', async () => {
    const pod = '/kubepods.slice/kubepods-pod11111111_2222_3333_4444_555555555555.slice';
    const cgroup = `${pod}/cri-containerd-${'0123456789abcdef'.repeat(4)}.scope`;
    const text = `# It dies\n\nSee:\n\n\`\`\`\n[   12.500000] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=${cgroup},task_memcg=${cgroup},task=hog,pid=712,uid=0\n[   12.600000] Memory cgroup out of memory: Killed process 712 (hog) total-vm:270000kB, anon-rss:131000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:300kB oom_score_adj:872\n\`\`\`\n`;
    const { traces } = await readCase([{ path: 'report.md', text }]);
    expect(traces).toContainEqual({ layer: 'kernel', what: 'level of the limit', value: 'container' });
  });
});
