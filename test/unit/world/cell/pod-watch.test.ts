import { describe, expect, it } from 'vitest';
import { createPodWatch } from '../../../../lab/world/cell/pod-watch.ts';

const pod = (name: string, labels: Record<string, string>, more: object = {}) => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    namespace: 'default',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels,
  },
  ...more,
});
const names = (selector: string, ...pods: object[]): string[] => {
  const watch = createPodWatch({ namespace: 'default', selector, container: 'main' });
  for (const object of pods) watch.see('ADDED', object);
  return watch.views().map((view) => view.pod);
};

describe('the watch for the victim', () => {
  it('takes the pods that the selector means, as kubectl and the judge do', () => {
    const pods = [pod('eater', { app: 'eater' }), pod('other', { app: 'other', tier: 'x' })];
    expect(names('app=eater', ...pods)).toEqual(['eater']);
    expect(names('app==eater', ...pods)).toEqual(['eater']);
    expect(names('app!=eater', ...pods)).toEqual(['other']);
    expect(names('tier', ...pods)).toEqual(['other']);
    expect(names('!tier', ...pods)).toEqual(['eater']);
    const elsewhere = pod('far', { app: 'eater' });
    elsewhere.metadata.namespace = 'kube-system';
    expect(names('app=eater', elsewhere)).toEqual([]);
  });

  it('keeps the newest view of each pod, the oldest pod first', () => {
    const watch = createPodWatch({ namespace: 'default', selector: 'app=a', container: 'main' });
    const status = (state: object, restartCount = 0) => ({
      status: {
        containerStatuses: [
          { name: 'side', restartCount: 7, state: {} },
          { name: 'main', restartCount, state, containerID: 'containerd://abc' },
        ],
      },
    });
    const younger = pod('b', { app: 'a' });
    younger.metadata.creationTimestamp = '2026-01-01T00:00:01Z';
    watch.see('ADDED', younger);
    watch.see('ADDED', pod('a', { app: 'a' }, status({ running: { startedAt: '2026-01-01T00:00:02Z' } })));
    expect(watch.views()).toMatchObject([
      { pod: 'a', containerId: 'abc', running: true, ended: false, restartCount: 0 },
      { pod: 'b', containerId: '', running: false, phase: 'Unknown' },
    ]);
    // A busy kubelet may tell of the new container alone.
    watch.see('MODIFIED', pod('a', { app: 'a' }, status({ running: {} }, 1)));
    watch.see('DELETED', younger);
    expect(watch.views()).toMatchObject([{ ended: true, restartCount: 1 }, { deleted: true }]);
  });

  it.each(['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'])(
    'sees a victim among the %s',
    (list) => {
      const watch = createPodWatch({ namespace: 'default', selector: 'app=a', container: 'main' });
      const startedAt = '2026-01-01T00:00:02Z';
      const own = {
        name: 'main',
        restartCount: 0,
        state: { running: { startedAt } },
        containerID: 'containerd://abc',
      };
      const others = ['containerStatuses', 'initContainerStatuses'].filter((other) => other !== list);
      const status = Object.fromEntries(others.map((other) => [other, [{ ...own, name: 'side' }]]));
      watch.see('ADDED', pod('a', { app: 'a' }, { status: { ...status, [list]: [own] } }));
      expect(watch.views()).toMatchObject([
        { containerId: 'abc', running: true, startedAtMs: Date.parse(startedAt), deaths: 0 },
      ]);
    },
  );

  it.each<[string, object, number]>([
    ['runs for the first time', { restartCount: 0, state: { running: {} } }, 0],
    ['has ended once', { restartCount: 0, state: { terminated: { exitCode: 1 } } }, 1],
    [
      'waits for its next start',
      { restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: {} } },
      3,
    ],
    ['runs again', { restartCount: 3, state: { running: {} }, lastState: { terminated: {} } }, 3],
  ])('counts the deaths of one that %s', (_, own, deaths) => {
    const watch = createPodWatch({ namespace: 'default', selector: 'app=a', container: 'main' });
    watch.see('ADDED', pod('a', { app: 'a' }, { status: { containerStatuses: [{ name: 'main', ...own }] } }));
    expect(watch.views()[0]?.deaths).toBe(deaths);
  });
});
