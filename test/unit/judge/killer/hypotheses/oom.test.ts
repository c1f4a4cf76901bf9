import { describe, expect, it } from 'vitest';
import { KILLED, SUMMARY } from '../../../../fixtures/evidence/change-capture.ts';
import {
  findVictim,
  judgeCapture,
  loadCapture,
  renumber,
  withExpected,
  withLines,
} from '../../../../fixtures/evidence/load-capture.ts';
import { terminated } from '../../../../fixtures/told/api-words.ts';
import { CAST, scopeOf } from '../../../../fixtures/told/cast.ts';
import { Story } from '../../../../fixtures/told/story.ts';

const KMSG = 'node-1/kmsg.log';

const WITNESS = 'node-1/witness.jsonl';

const OOMS = ['oom-single-container', 'cron-job-oom'];

/** Another container of the victim's pod. */
const SIBLING = scopeOf('77aa9d2a7be14086a1d0c4b8e96f27310d4a5be8c7f1920364ad5e8b7c6f1abb');

const killerOf = (story: Story): string =>
  judgeCapture(story.tell({ killer: 'self-exit' })).attribution.killer;

describe('an out-of-memory kill', () => {
  const capture = loadCapture('oom-single-container');

  it('is named by the kernel line: one changed line of the kernel log changes the answer', () => {
    const global = withLines(capture, KMSG, (lines) =>
      lines.map((line) =>
        line
          .replace('Memory cgroup out of memory: Killed', 'Out of memory: Killed')
          .replace(/CONSTRAINT_MEMCG(.*)oom_memcg=[^,]*,/, 'CONSTRAINT_NONE$1global_oom,'),
      ),
    );
    expect(judgeCapture(global).attribution).toMatchObject({ killer: 'global-oom', level: 'node' });
    const container = withLines(capture, KMSG, (lines) =>
      lines.map((line) => line.replace(/oom_memcg=[^,]*,task_memcg=([^,]*)/, 'oom_memcg=$1,task_memcg=$1')),
    );
    expect(judgeCapture(container).attribution).toMatchObject({ killer: 'memcg-oom', level: 'container' });
  });

  it('is not concluded from exit code 137 and the reason OOMKilled', () => {
    const bare = withLines(
      withLines(capture, KMSG, (lines) => renumber(lines.filter((line) => !/oom|out of memory/i.test(line)))),
      WITNESS,
      (lines) => renumber(lines.filter((line) => !/"oom_kill":"[1-9]|"oom":"[1-9]|"signal"/.test(line))),
    );
    const judged = judgeCapture(bare);
    expect(judged.attribution.killer).not.toBe('memcg-oom');
    expect(judged.claims.find((claim) => claim.layer === 'api')).toMatchObject({
      says: 'OOMKilled, exit 137',
      agrees: false,
    });
    expect(judged.verdict).not.toBe('passed');
  });

  it('is still found, as likely, when the summary line was rate-limited away', () => {
    const limited = withLines(capture, KMSG, (lines) =>
      renumber(lines.filter((line) => !/oom-kill:/.test(line))),
    );
    expect(judgeCapture(limited).attribution).toMatchObject({ killer: 'memcg-oom', level: 'pod' });
  });

  it('is likely, and no verdict, while the kernel log is missing', () => {
    const judged = judgeCapture(withLines(capture, KMSG, undefined));
    expect(judged.attribution).toMatchObject({ killer: 'memcg-oom', confidence: 'likely' });
    expect(judged.verdict).toBe('inconclusive');
  });

  it('is unknown when only a counter rose and no limit of the pod was hit', () => {
    const odd = withLines(withLines(capture, KMSG, undefined), WITNESS, (lines) =>
      lines.map((line) => line.replace('"oom":"1"', '"oom":"0"')),
    );
    expect(judgeCapture(odd).attribution).toMatchObject({ killer: 'unknown', confidence: 'none' });
  });

  it('at another level than expected fails, and says both', () => {
    const judged = judgeCapture(withExpected(capture, { killer: 'memcg-oom', level: ['qos'] }));
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches).toEqual([{ field: 'level', expected: 'qos level', observed: 'pod level' }]);
  });

  it('that took too long, with another reason and without the sequel, fails on each of them', () => {
    const expected = {
      killer: 'memcg-oom',
      withinSeconds: 2,
      reason: ['Error'],
      exitCode: [1],
      then: 'stays-dead',
    };
    const judged = judgeCapture(withExpected(capture, expected));
    expect(judged.mismatches.map((mismatch) => mismatch.field)).toEqual([
      'reason',
      'exitCode',
      'withinSeconds',
      'then',
    ]);
  });

  it('makes the API a wrong witness when the API says Error', () => {
    const claimed = withLines(capture, 'pods.jsonl', (lines) =>
      lines.map((line) => line.replace('OOMKilled', 'Error')),
    );
    const judged = judgeCapture(claimed);
    expect(judged.attribution.killer).toBe('memcg-oom');
    expect(judged.claims.at(-1)).toEqual({ layer: 'api', says: 'Error, exit 137', agrees: false });
  });
});

describe.each(OOMS)('the kernel log of %s', (name) => {
  const capture = loadCapture(name);
  const judged = judgeCapture(capture).attribution;

  it('decides alone: another container in its one summary line, and nothing is proven', () => {
    const other = withLines(capture, KMSG, (lines) =>
      lines.map((line) =>
        SUMMARY.test(line)
          ? line.replace(/(task_memcg=.*cri-containerd-)[0-9a-f]{64}/, `$1${'0'.repeat(64)}`)
          : line,
      ),
    );
    expect(judged.confidence).toBe('proven');
    expect(judgeCapture(other).attribution.confidence).not.toBe('proven');
  });

  it('tells the level: another limit in its one summary line is another level', () => {
    const container = withLines(capture, KMSG, (lines) =>
      lines.map((line) => line.replace(/oom_memcg=[^,]*,task_memcg=([^,]*)/, 'oom_memcg=$1,task_memcg=$1')),
    );
    expect(judged.level).toBe('pod');
    expect(judgeCapture(container).attribution.level).toBe('container');
  });

  it('says it twice and the counter counts two, though one process died: a group kill', () => {
    const { pid } = findVictim(capture);
    const lines = (capture.files.get(KMSG) ?? '').split('\n').filter((line) => KILLED.test(line));
    expect(lines.every((line) => line.includes(`Killed process ${pid} `))).toBe(true);
    expect(lines).toHaveLength(2);
    const claim = judgeCapture(capture).claims.find((claim) => claim.layer === 'cgroup');
    expect(claim?.says).toMatch(/oom_kill went from 0 to 2/);
  });

  it('is no proof without its kills: the same lines written by a program are not believed', () => {
    const spoofed = withLines(capture, KMSG, (lines) =>
      // Facility 1, the one that every write to /dev/kmsg gets.
      lines.map((line) => (SUMMARY.test(line) || KILLED.test(line) ? line.replace(/^\d+,/, '14,') : line)),
    );
    expect(judgeCapture(spoofed).attribution.confidence).not.toBe('proven');
    expect(judgeCapture(spoofed).claims[0]).toMatchObject({ layer: 'kernel', says: /^no OOM kill/ });
  });
});

describe('one changed fact is another way, or a weaker proof', () => {
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
});

describe('what the counters of a pod count of another container', () => {
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
