import { describe, expect, it } from 'vitest';
import { judgeCapture } from '../../../fixtures/evidence/load-capture.ts';
import { CAST, scopeOf } from '../../../fixtures/told/cast.ts';
import { EARLYOOM, FROM_KERNEL, OOMD } from '../../../fixtures/told/senders.ts';
import { Story } from '../../../fixtures/told/story.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';

const BASH = [900, 'bash', '/system.slice/ssh.service'] as const;
const WATCH = { pid: 5812, comm: 'night-watch' };
const GLOB = 'node-1/process/night-watch';

/** A story whose victim lives, beside what the test adds; a process of the node has to die. */
function lives(
  tell: (story: Story) => unknown,
  expected: Partial<Outcome> = { alsoDies: [GLOB] },
): ReturnType<typeof judgeCapture> {
  const story = new Story().lives();
  tell(story);
  return judgeCapture(story.tell({ killer: 'none', survivesSeconds: 20, ...expected }));
}

/** The witness was asked for its end, and writes it. */
const watched = (story: Story): Story => story.witness(0, 'ends-watched', { names: ['night-watch'] });
const ended = (story: Story, at = 9.01, cgroup = '/system.slice/night-watch.service'): Story =>
  watched(story).witness(at, 'node-exit', { ...WATCH, cgroup });

const killed = (story: Story): unknown => story.sends(9, 9, BASH, WATCH);

describe('a process in no pod', () => {
  it('that was sent SIGKILL has died, and its killer is named with the line', () => {
    const judged = lives(killed);
    expect(judged).toMatchObject({ verdict: 'passed', attribution: { killer: 'none' } });
    expect(judged.note).toMatch(
      /^node-1\/process\/night-watch: external-signal, SIGKILL to pid 5812 \(night-watch\) from pid 900 \(bash\) in \/system\.slice\/ssh\.service \(node-1\/witness\.jsonl:\d+\)$/,
    );
  });

  it.each([
    ['systemd-oomd', (story: Story) => story.sends(9, 9, OOMD, WATCH)],
    ['earlyoom', (story: Story) => story.sends(9, 9, EARLYOOM, WATCH)],
    [
      'self-signal',
      (story: Story) => story.sends(9, 9, [5812, 'night-watch', '/system.slice/night-watch.service'], WATCH),
    ],
    ['SIGKILL', (story: Story) => story.sends(9, 9, BASH, { ...WATCH, code: FROM_KERNEL })],
  ])('was killed by %s', (killer, tell) => {
    expect(lives(tell).note).toMatch(new RegExp(`^${GLOB}: ${killer}[, ]`));
  });

  it('that was OOM-killed is named so, whoever signalled it later', () => {
    const oom = (story: Story): unknown =>
      story
        .kernel(
          9,
          'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/night-watch.service,task=night-watch,pid=5812,uid=0',
        )
        .kernel(9, 'Out of memory: Killed process 5812 (night-watch) total-vm:1kB')
        .sends(9.001, 9, BASH, { ...WATCH, code: FROM_KERNEL });
    expect(lives(oom).note).toContain('its process 5812 (night-watch) was OOM-killed');
  });

  it.each<[string, (story: Story) => unknown]>([
    ['nobody signals it', () => undefined],
    ['it is asked to end, which it may not do', (story) => story.sends(9, 15, BASH, WATCH)],
    ['the kernel drops the signal', (story) => story.sends(9, 9, BASH, { ...WATCH, res: 1 })],
    ['it was before the cell', (story) => story.sends(-9, 9, BASH, WATCH)],
    ['another one is meant', (story) => story.sends(9, 9, BASH, { pid: 5813, comm: 'day-watch' })],
    [
      'it is one of a pod',
      (story) => story.process(8, 5812, 1, 'night-watch', scopeOf('ee'.repeat(32))).sends(9, 9, BASH, WATCH),
    ],
  ])('is not known to have died when %s', (_, tell) => {
    const judged = lives(tell);
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches).toMatchObject([
      {
        field: 'alsoDies',
        expected: `${GLOB} dies as well`,
        observed: expect.stringContaining('nobody killed it') as string,
      },
    ]);
  });

  it('may have been killed where the trace has a gap', () => {
    const judged = lives((story) => story.witness(9, 'lost', { source: 'trace', why: 'LOST 12 EVENTS' }));
    expect(judged).toMatchObject({
      verdict: 'inconclusive',
      note: expect.stringContaining('LOST 12 EVENTS') as string,
    });
  });

  it('that ended after SIGTERM has died, and the signal is named with its sender', () => {
    const judged = lives((story) => ended(story.sends(9, 15, BASH, WATCH)));
    expect(judged.verdict).toBe('passed');
    expect(judged.note).toMatch(
      /^node-1\/process\/night-watch: pid 5812 \(night-watch\) ended 10 ms after SIGTERM; SIGTERM to pid 5812 \(night-watch\) from pid 900 \(bash\) in \/system\.slice\/ssh\.service \(node-1\/witness\.jsonl:\d+\)$/,
    );
  });

  it('that ended by itself has died', () => {
    const judged = lives(ended);
    expect(judged.verdict).toBe('passed');
    expect(judged.note).toContain('pid 5812 (night-watch) ended, and the trace has no signal to it');
  });

  it('is told of by its killer where it was killed, though its end was written too', () => {
    expect(lives((story) => ended(killed(story) as Story)).note).toMatch(
      /^node-1\/process\/night-watch: external-signal, /,
    );
  });

  it.each<[string, (story: Story) => unknown]>([
    ['nobody saw it end', watched],
    ['it was asked to end, and lives', (story) => watched(story).sends(9, 15, BASH, WATCH)],
    ['it ended before the cell', (story) => ended(story, -9)],
  ])('lives when its end would have been written and %s', (_, tell) => {
    const judged = lives(tell);
    expect(judged.verdict).toBe('failed');
    expect(judged.mismatches).toMatchObject([
      { field: 'alsoDies', observed: expect.stringContaining('it did not end') as string },
    ]);
  });

  it('is not known to have died when an end of that name may be one in a pod', () => {
    const judged = lives((story) => ended(story, 9, ''));
    expect(judged).toMatchObject({
      verdict: 'inconclusive',
      note: expect.stringContaining('before anybody could read whether it was one of a pod') as string,
    });
  });

  it('that had to end is not known to live where the trace has a gap', () => {
    const judged = lives((story) =>
      watched(story).witness(9, 'lost', { source: 'trace', why: 'LOST 12 EVENTS' }),
    );
    expect(judged.verdict).toBe('inconclusive');
  });

  it('whose end was asked for on another node is not known to live', () => {
    const judged = lives(watched, { alsoDies: ['node-2/process/night-watch'] });
    expect(judged.mismatches).toMatchObject([
      { field: 'alsoDies', observed: expect.stringContaining('nobody killed it') as string },
    ]);
  });

  it('has the number of one of a pod that has ended', () => {
    const judged = lives((story) =>
      story
        .process(4, 5812, 7, 'worker', scopeOf(CAST.container))
        .exit(5, 5812, 'worker')
        .sends(9, 9, BASH, WATCH),
    );
    expect(judged.verdict).toBe('passed');
  });

  it('that nobody asked about fails no cell', () => {
    expect(lives(killed, {})).toMatchObject({ verdict: 'passed', mismatches: [] });
    expect(lives(killed, {}).note).toBeUndefined();
  });
});
