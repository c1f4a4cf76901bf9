import { describe, expect, it } from 'vitest';
import { collectLive } from '../../../../lab/autopsy/live/collect-live.ts';
import type { ForeignCluster } from '../../../../lab/drivers/kubernetes/foreign-cluster.ts';
import { HostError } from '../../../../lab/model/errors/errors.ts';
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

describe('the kubelet of the node', () => {
  const pod = { metadata: { name: 'web', uid: 'u1' }, spec: { nodeName: 'node-1' }, status: {} };
  const OFF = '<!doctype html>';

  it.each<[string, number, string, number, string[]]>([
    ['gives its journals', 200, 'a line', 3, ['the kubelet gives no kernel log: --node-access none']],
    ['has its log queries off', 200, OFF, 0, ['the kubelet does not answer queries (NodeLogQuery is off)']],
    ['may not be asked', 403, 'nodes "node-1" is forbidden', 0, ['HTTP 403']],
  ])('is asked for journals with none as well, and %s', async (_, status, text, journals, said) => {
    const get = async (path: string) =>
      path.includes('/proxy/')
        ? { status, text }
        : { status: 200, text: JSON.stringify(path.endsWith('/pods/web') ? pod : { items: [] }) };
    const question = { namespace: 'default', pod: 'web', access: 'none', debugNamespace: 'default' } as const;
    const host = { clock: { now: () => NOW } } as Host;
    const { files, missing } = await collectLive(host, { get } as ForeignCluster, question);
    expect(files.filter((file) => file.path.includes('journal/'))).toHaveLength(journals);
    for (const why of said) expect(missing.map((one) => one.why).join('\n')).toContain(why);
  });

  it('is waited for once where it does not answer', async () => {
    const asked: string[] = [];
    const get = async (path: string) => {
      if (!path.includes('/proxy/')) return { status: 200, text: JSON.stringify(pod) };
      asked.push(path);
      throw new HostError('LAB_API', 'the API does not answer', { lastSeen: 'timed out', tryNext: 'x' });
    };
    const question = { namespace: 'default', pod: 'web', access: 'none', debugNamespace: 'default' } as const;
    const host = { clock: { now: () => NOW } } as Host;
    const { missing } = await collectLive(host, { get } as unknown as ForeignCluster, question);
    expect(asked).toHaveLength(1);
    expect(missing.filter(({ why }) => why === 'timed out').map(({ path }) => path)).toEqual(
      ['metrics/cadvisor', 'journal/kubelet.log', 'journal/containerd.log', 'journal/crio.log'].map(
        (name) => `node-1/${name}`,
      ),
    );
  });
});

/** What is asked of ssh, and what is missing, where an API says this of a pod and its events. */
async function askBySsh(pod: unknown, events: unknown): Promise<{ ran: string[][]; missing: string[] }> {
  const ran: string[][] = [];
  const host = {
    clock: { now: () => NOW },
    run: async (program: string, words: readonly string[]) => {
      ran.push([program, ...words]);
      return { stdout: '' };
    },
  } as unknown as Host;
  const get = async (path: string) => {
    const answer = path.includes('/pods/') ? pod : path.includes('/nodes/') ? {} : events;
    if (answer === undefined) return { status: 404, text: '' };
    return { status: 200, text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  };
  const question = { namespace: 'default', pod: 'web', access: 'ssh', debugNamespace: 'default' } as const;
  const { missing } = await collectLive(host, { get } as ForeignCluster, question);
  return { ran, missing: missing.map(({ why }) => why) };
}

const HOSTILE = ['-oProxyCommand=touch x', 'a b', '../node-1', 'root@elsewhere', 'node-1\n', ''];

describe('a node that the API names', () => {
  it.each(HOSTILE)('is not a word for ssh where no node is called so: %j', async (nodeName) => {
    const pod = { metadata: { name: 'web', uid: 'u1' }, spec: { nodeName }, status: {} };
    const event = { items: [{ involvedObject: { kind: 'Pod', uid: 'u1' }, source: { host: nodeName } }] };
    for (const [ofPod, ofEvents] of [
      [pod, { items: [] }],
      // Whoever may write events writes this.
      [undefined, event],
    ])
      expect((await askBySsh(ofPod, ofEvents)).ran).toEqual([]);
  });

  it('is asked, and its name cannot be a flag', async () => {
    const pod = { metadata: { name: 'web', uid: 'u1' }, spec: { nodeName: 'node-1.example' }, status: {} };
    const { ran } = await askBySsh(pod, { items: [] });
    expect(ran.map((words) => words.slice(0, 5))).toEqual([
      ['ssh', '-o', 'BatchMode=yes', '--', 'node-1.example'],
    ]);
  });
});

describe('an API that answers nonsense', () => {
  it.each([
    ['no JSON', '<html>', /LAB_API|something else than an object/],
    ['a list', '[]', /something else than an object/],
    ['events without a list', {}, /the cluster knows no pod/],
    ['events that are a word', { items: 'x' }, /the cluster knows no pod/],
    ['events that are no objects', { items: [null, 7, 'x'] }, /the cluster knows no pod/],
  ])('is one message: %s', async (_, events, says) => {
    await expect(askBySsh(undefined, events)).rejects.toThrow(says);
  });
});
