import { describe, expect, it } from 'vitest';
import { collectLive } from '../../../../lab/autopsy/live/collect-live.ts';
import type { ForeignCluster } from '../../../../lab/drivers/kubernetes/foreign-cluster.ts';
import type { Host } from '../../../../lab/model/host/host.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

/** From when on the kubelet is asked for its journal, when a container of the pod ended as the API says it. */
async function askedSince(terminated: object): Promise<string | undefined> {
  const pod = {
    metadata: { name: 'web', uid: 'u1' },
    spec: { nodeName: 'node-1' },
    status: { containerStatuses: [{ name: 'web', state: { terminated } }] },
  };
  const asked: string[] = [];
  const get = async (path: string) => {
    asked.push(path);
    return { status: 200, text: JSON.stringify(path.endsWith('/pods/web') ? pod : { items: [] }) };
  };
  const question = {
    namespace: 'default',
    pod: 'web',
    access: 'kubelet',
    debugNamespace: 'default',
  } as const;
  await collectLive({ clock: { now: () => NOW } } as Host, { get } as ForeignCluster, question);
  return asked.map((path) => /query=kubelet&sinceTime=([^&]+)/.exec(path)?.[1]).find(Boolean);
}

describe('the window in which the logs of a node are read', () => {
  it.each([
    ['begins ten minutes before the end', { finishedAt: '2026-01-01T11:00:00Z' }, '2026-01-01T10:50:00.000Z'],
    [
      'begins ten minutes ago where the API has null for the end',
      { finishedAt: null },
      '2026-01-01T11:50:00.000Z',
    ],
    ['begins ten minutes ago where the API has no end', {}, '2026-01-01T11:50:00.000Z'],
  ])('%s', async (_, terminated, since) => {
    expect(await askedSince(terminated)).toBe(since);
  });
});
