import { describe, expect, it } from 'vitest';
import { createWaitFor } from '../../../../lab/drivers/clock.ts';
import type { Clock, Host } from '../../../../lab/model/host/host.ts';
import type { Manifest, Scenario } from '../../../../lab/model/declared/scenario.ts';
import type { Tries } from '../../../../lab/model/declared/tries.ts';
import { observeTries } from '../../../../lab/world/cell/observe-tries.ts';
import { createPodWatch } from '../../../../lab/world/cell/pod-watch.ts';
import { DYING } from './dying-scenario.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const podOf = (name: string, labels = { app: 'eater' }): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
});

/** What becomes of a pod: what the API says of its container, so many seconds after it was made. */
type Fate = readonly { readonly after: number; readonly status: object; readonly type?: string }[];

const said = (restartCount: number, state: object, more: object = {}): object => ({
  phase: 'Running',
  containerStatuses: [{ name: 'eater', restartCount, state, ...more }],
});
const over = { ...said(0, { terminated: { exitCode: 137 } }), phase: 'Failed' };

/** A cluster in which each pod that is made has one fate, beside the pods of the manifests. */
async function observe(
  tries: Tries,
  fate: Fate,
  manifests: readonly Manifest[] = [podOf('eater')],
  changes: Partial<Scenario> = {},
): Promise<{ why: string; made: string[]; seconds: number }> {
  const scenario = { ...DYING, ...changes, tries };
  const watch = createPodWatch(scenario.victim);
  const waiting: { at: number; tell: () => void }[] = [];
  const made: string[] = [];
  let ms = Date.parse('2026-01-01T00:00:00Z');
  const beganMs = ms;
  const create = async (objects: readonly Manifest[]): Promise<void> => {
    for (const object of objects) {
      const metadata = object['metadata'] as { name: string };
      made.push(metadata.name);
      const own = { ...metadata, uid: metadata.name, namespace: 'default', creationTimestamp: iso(ms) };
      for (const { after, status, type = 'MODIFIED' } of fate)
        waiting.push({
          at: ms + after * 1000,
          tell: () => watch.see(type, { metadata: own, status }),
        });
    }
  };
  const clock: Clock = {
    now: () => ms,
    elapsed: () => ms,
    sleep: async (pause) => {
      ms += pause;
      for (const change of waiting.splice(0)) {
        if (change.at <= ms) change.tell();
        else waiting.push(change);
      }
    },
  };
  const host = { clock, waitFor: createWaitFor(clock) } as Host;
  await create(manifests.filter((object) => object['kind'] === 'Pod'));
  const loaded = { scenario, manifests: [...manifests] };
  const why = await observeTries({ host, watch, loaded, create }, tries, scenario.timeoutSeconds * 1000);
  return { why, made, seconds: Math.round((ms - beganMs) / 1000) };
}

describe('many deaths', () => {
  const diesAfter3: Fate = [
    { after: 1, status: said(0, { running: { startedAt: iso(0) } }) },
    { after: 3, status: over },
  ];

  it('come of a bare pod that is made again as soon as it is dead', async () => {
    expect(await observe({ pods: 3 }, diesAfter3)).toMatchObject({
      why: '3 of 3 deaths',
      made: ['eater', 'eater-2', 'eater-3'],
    });
  });

  it('come of several pods: one more is made when all of them are dead', async () => {
    const pods = [podOf('one'), podOf('two')];
    expect(await observe({ pods: 4 }, diesAfter3, pods)).toMatchObject({
      why: '4 of 4 deaths',
      made: ['one', 'two', 'one-3', 'one-4'],
    });
  });

  it('are of the victim, not of a pod beside it', async () => {
    const pods = [podOf('eater'), podOf('other', { app: 'other' })];
    expect((await observe({ pods: 2 }, diesAfter3, pods)).made).toEqual(['eater', 'other', 'eater-2']);
  });

  it.each<[string, Fate]>([
    ['deleted', [{ after: 2, status: said(0, {}), type: 'DELETED' }]],
    ['failed, and the API never said of the container', [{ after: 2, status: { phase: 'Failed' } }]],
  ])('are those of a pod that is %s', async (_, fate) => {
    expect((await observe({ pods: 2 }, fate)).why).toBe('2 of 2 deaths');
  });

  it('come of a container that restarts, and no pod is made', async () => {
    const ended = { lastState: { terminated: { exitCode: 137 } } };
    const fate: Fate = [
      { after: 1, status: said(0, { running: {} }) },
      { after: 2, status: said(0, { waiting: { reason: 'CrashLoopBackOff' } }, ended) },
      { after: 9, status: said(1, { running: {} }, ended) },
      { after: 10, status: said(2, { running: {} }, ended) },
    ];
    expect(await observe({ restarts: 2 }, fate)).toEqual({
      why: '2 of 2 deaths',
      made: ['eater'],
      seconds: 10,
    });
  });

  it('are waited for no longer than the cell lasts', async () => {
    const lives: Fate = [{ after: 1, status: said(0, { running: {} }) }];
    expect(await observe({ pods: 2 }, lives)).toEqual({
      why: 'time is up; 0 of 2 deaths; eater: running, 0 restarts',
      made: ['eater'],
      seconds: 60,
    });
  });

  it('are given up when the victim cannot start', async () => {
    const stuck: Fate = [{ after: 1, status: said(0, { waiting: { reason: 'ErrImageNeverPull' } }) }];
    expect(await observe({ pods: 2 }, stuck)).toMatchObject({
      why: '0 of 2 deaths; the victim cannot start: ErrImageNeverPull',
      seconds: 1,
    });
  });
});
