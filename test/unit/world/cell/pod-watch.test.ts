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
});
