import { describe, expect, it } from 'vitest';
import { createWaitFor } from '../../../../lab/drivers/clock.ts';
import type { Clock, Host } from '../../../../lab/model/host/host.ts';
import type { Outcome } from '../../../../lab/model/declared/scenario.ts';
import { observeOutcome } from '../../../../lab/world/cell/observe.ts';
import { waitForVictim } from '../../../../lab/world/cell/wait-for-victim.ts';
import { createPodWatch, type PodWatch } from '../../../../lab/world/cell/pod-watch.ts';
import { DYING } from './dying-scenario.ts';

const LONGEST_MS = DYING.timeoutSeconds * 1000;
const T0 = Date.parse('2026-01-01T00:00:00Z');
const iso = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

/** What the API tells about the victim's container at a second. */
interface Told {
  readonly at: number;
  readonly state: object;
  readonly restarts?: number;
  readonly pod?: string;
  readonly type?: string;
  readonly phase?: string;
}

/** A host whose time passes while it waits, and a watch that is told each change at its second. */
function stage(changes: readonly Told[]): { host: Host; watch: PodWatch; seconds: () => number } {
  const watch = createPodWatch(DYING.victim);
  const waiting = [...changes];
  let ms = T0;
  const tell = (): void => {
    while (waiting[0] !== undefined && T0 + waiting[0].at * 1000 <= ms) {
      const next = waiting.shift()!;
      const { at, state, restarts = 0, pod = 'eater-0', type = 'MODIFIED', phase = 'Running' } = next;
      const created = iso(pod === 'eater-0' ? 0 : at);
      watch.see(type, {
        metadata: {
          name: pod,
          uid: pod,
          namespace: 'default',
          creationTimestamp: created,
          labels: { app: 'eater' },
        },
        status: { phase, containerStatuses: [{ name: 'eater', restartCount: restarts, state }] },
      });
    }
  };
  const clock: Clock = {
    now: () => ms,
    elapsed: () => ms,
    sleep: async (pause) => {
      ms += pause;
      tell();
    },
  };
  tell();
  return { host: { clock, waitFor: createWaitFor(clock) } as Host, watch, seconds: () => (ms - T0) / 1000 };
}

const running = (since: number): object => ({ running: { startedAt: iso(since) } });
const ended = { terminated: { exitCode: 137 } };
const observe = async (then: Partial<Outcome>, changes: readonly Told[]) => {
  const { host, watch, seconds } = stage(changes);
  const why = await observeOutcome(host, watch, { killer: 'memcg-oom', ...then }, DYING, LONGEST_MS);
  return { why, seconds: Math.round(seconds()) };
};

describe('the outcome of a cell is watched for', () => {
  it('until the container has died and stayed dead', async () => {
    const seen = await observe({ then: 'stays-dead' }, [
      { at: 1, state: running(1) },
      { at: 10, state: ended },
    ]);
    expect(seen).toEqual({ why: 'it died and stayed dead', seconds: 15 });
  });

  it('no longer than its pod lives, where nothing must follow and nothing is measured', async () => {
    const changes = [
      { at: 1, state: running(1) },
      { at: 10, state: running(1), phase: 'Failed' },
      { at: 12, state: ended, phase: 'Failed' },
    ];
    const seen = await observe({ then: 'stays-dead' }, changes);
    expect(seen).toEqual({ why: 'it died and its pod is over', seconds: 12 });
    const bound = {
      measure: 'pids',
      statistic: 'max',
      atLeast: 1,
      samples: 1,
      reason: 'they are counted',
    } as const;
    const measures = [bound];
    const measured = await observe({ then: 'stays-dead', measures }, changes);
    expect(measured).toEqual({ why: 'it died and stayed dead', seconds: 15 });
  });

  it('until it was restarted, where that must follow', async () => {
    const seen = await observe({ then: 'restarts' }, [
      { at: 1, state: running(1) },
      { at: 10, state: ended },
      { at: 30, state: running(30), restarts: 1 },
    ]);
    expect(seen).toEqual({ why: 'it died and was restarted', seconds: 30 });
  });

  it('until the next Job runs, where that must follow: one that is only created is none', async () => {
    const seen = await observe({ then: 'next-job-starts' }, [
      { at: 1, state: running(1) },
      { at: 10, state: ended },
      { at: 20, state: { waiting: { reason: 'ContainerCreating' } }, pod: 'eater-1' },
      { at: 40, state: running(40), pod: 'eater-1' },
    ]);
    expect(seen).toEqual({ why: 'it died and the next one started', seconds: 40 });
  });

  it('until it has lived as long as it must: from its start, not from when it was asked for', async () => {
    const seen = await observe({ killer: 'none', survivesSeconds: 20 }, [{ at: 15, state: running(15) }]);
    expect(seen).toEqual({ why: 'alive after 20 s', seconds: 35 });
  });

  it('until time is up, which is no error: the judge says what was seen', async () => {
    const seen = await observe({ then: 'restarts' }, [{ at: 1, state: running(1) }]);
    expect(seen).toEqual({ why: 'time is up; eater-0: running, 0 restarts', seconds: 60 });
  });

  it('no longer than it can come: a container without an image never starts', async () => {
    const state = { waiting: { reason: 'ErrImageNeverPull' } };
    const seen = await observe({ then: 'restarts' }, [{ at: 2, state }]);
    expect(seen).toEqual({ why: 'the victim cannot start: ErrImageNeverPull', seconds: 2 });
  });

  it('on, where something was done to it while it waited: it may start now', async () => {
    const { host, watch, seconds } = stage([
      { at: 0, state: { waiting: { reason: 'CreateContainerConfigError' } } },
      { at: 12, state: running(12) },
      { at: 15, state: ended },
    ]);
    const cured = {
      stimulus: [{ kind: 'create' as const, file: 'config.yaml', while: 'waits' as const, afterSeconds: 5 }],
    };
    const why = await observeOutcome(host, watch, { killer: 'memcg-oom' }, cured, LONGEST_MS);
    expect({ why, seconds: Math.round(seconds()) }).toEqual({ why: 'it died and stayed dead', seconds: 20 });
  });
});

describe('what comes late is watched for', () => {
  const loop: Told[] = [
    { at: 1, state: running(1) },
    { at: 5, state: ended },
    { at: 8, state: running(8), restarts: 1 },
    { at: 12, state: { terminated: { exitCode: 1, reason: 'Error' } }, restarts: 1 },
    { at: 20, state: running(20), restarts: 2 },
    { at: 25, state: ended, restarts: 2 },
  ];
  it.each<[string, Partial<Outcome>, string, number]>([
    ['the third death', { attempt: 3, then: 'stays-dead' }, 'it died and stayed dead', 30],
    ['the restart after the second death', { attempt: 2, then: 'restarts' }, 'it died and was restarted', 20],
    ['any death with an exit code', { attempt: 'any', exitCode: [1] }, 'it died and stayed dead', 17],
    ['a death that does not come', { attempt: 4 }, 'time is up; eater-0: Running, 2 restarts', 60],
  ])('%s', async (_, then, why, seconds) => {
    expect(await observe(then, loop)).toEqual({ why, seconds });
  });

  it('a container that never starts, for as long as it is promised', async () => {
    const never: Outcome = {
      killer: 'none',
      neverStarts: ['CreateContainerConfigError'],
      survivesSeconds: 20,
    };
    const state = { waiting: { reason: 'CreateContainerConfigError' } };
    const why = 'not started after 20 s: CreateContainerConfigError';
    expect(await observe(never, [{ at: 2, state }])).toEqual({ why, seconds: 20 });
    expect(await observe(never, [{ at: 2, state: running(2) }])).toEqual({ why: 'it started', seconds: 2 });
  });

  it('a container that is asked to stop, from the request on', async () => {
    const { host, watch, seconds } = stage([{ at: 0, state: running(-30) }]);
    const told = { ...DYING, stimulus: [{ kind: 'delete-pod' as const, afterSeconds: 2 }] };
    const why = await observeOutcome(
      host,
      watch,
      { killer: 'none', survives: 'stop', survivesSeconds: 20 },
      told,
      LONGEST_MS,
    );
    expect([why, Math.round(seconds())]).toEqual(['alive after 20 s', 20]);
  });
});

describe('a stimulus waits', () => {
  it.each<[string, 'waits' | 'is-gone', number, Told[], number]>([
    [
      'until the victim has waited for its next start for so long',
      'waits',
      3,
      [
        { at: 1, state: running(1) },
        { at: 4, state: ended },
        { at: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
      8,
    ],
    [
      'until its pod is deleted',
      'is-gone',
      0,
      [
        { at: 1, state: running(1) },
        { at: 9, state: ended, type: 'DELETED' },
      ],
      9,
    ],
    [
      'until its pod is over: a pod that failed before its container ended is not',
      'is-gone',
      2,
      [
        { at: 1, state: running(1), phase: 'Failed' },
        { at: 9, state: ended, phase: 'Failed' },
      ],
      11,
    ],
  ])('%s', async (_, state, afterSeconds, told, at) => {
    const { host, watch, seconds } = stage([
      { at: 0, state: { waiting: { reason: 'ContainerCreating' } } },
      ...told,
    ]);
    await waitForVictim(host, watch, { while: state, afterSeconds }, 120_000);
    expect(Math.round(seconds())).toBe(at);
  });

  it('until the victim is as old as it wants, counted anew after a restart', async () => {
    const { host, watch, seconds } = stage([
      { at: 1, state: running(1) },
      { at: 4, state: ended },
      { at: 6, state: running(6), restarts: 1 },
    ]);
    const view = await waitForVictim(host, watch, { afterSeconds: 5 }, 120_000);
    expect([view.pod, view.restartCount, Math.round(seconds())]).toEqual(['eater-0', 1, 11]);
  });

  it('no longer when it never starts', async () => {
    const { host, watch } = stage([{ at: 2, state: { waiting: { reason: 'InvalidImageName' } } }]);
    await expect(waitForVictim(host, watch, {}, 120_000)).rejects.toMatchObject({
      code: 'LAB_PROBE_TIMEOUT',
      lastSeen: 'eater-0: InvalidImageName, 0 restarts',
      message: expect.stringContaining('impossible') as string,
    });
  });

  it.each(['runs', 'waits'] as const)('no longer when its pod is over, where it %s', async (state) => {
    const { host, watch, seconds } = stage([
      { at: 1, state: running(1) },
      { at: 4, state: ended, phase: 'Failed' },
    ]);
    await expect(
      waitForVictim(host, watch, { while: state, afterSeconds: 12 }, 120_000),
    ).rejects.toMatchObject({
      lastSeen: 'eater-0: Failed, 0 restarts',
      message: expect.stringContaining('impossible') as string,
    });
    expect(Math.round(seconds())).toBe(4);
  });
});
