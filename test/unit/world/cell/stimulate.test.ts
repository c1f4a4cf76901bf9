import { describe, expect, it } from 'vitest';
import { DEFAULT_VARIANT } from '../../../../lab/model/axes/axes.ts';
import { createWaitFor } from '../../../../lab/drivers/clock.ts';
import { connectGuest } from '../../../../lab/drivers/ssh/ssh.ts';
import type { Clock, Guest, Host } from '../../../../lab/model/host/host.ts';
import type { Stimulus } from '../../../../lab/model/declared/stimulus.ts';
import { createPodWatch } from '../../../../lab/world/cell/pod-watch.ts';
import { stimulate, type DeployedCell } from '../../../../lab/world/cell/stimulate.ts';
import { createFakeGuest } from '../../../fake-guest.ts';
import { startSshServer } from '../../../ssh-server.ts';
import { DYING } from './dying-scenario.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');

/** A cell whose victim started at T0 on a node; time passes while somebody waits. */
function stage(
  guests: readonly Guest[],
  node: string,
  core: object = {},
  objects: object = {},
): DeployedCell {
  let ms = T0;
  const clock: Clock = { now: () => ms, elapsed: () => ms, sleep: async (pause) => void (ms += pause) };
  const host = { clock, waitFor: createWaitFor(clock) } as Host;
  const watch = createPodWatch(DYING.victim);
  watch.see('ADDED', {
    metadata: { name: 'eater-0', uid: 'u1', namespace: 'default', labels: { app: 'eater' } },
    spec: { nodeName: node },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'eater',
          containerID: 'containerd://abc',
          state: { running: { startedAt: new Date(T0).toISOString() } },
        },
      ],
    },
  });
  const record = { variant: DEFAULT_VARIANT };
  const world = { record, guests, kubernetes: { core, objects } } as unknown as DeployedCell['world'];
  const later = { 'pod.yaml': [{ kind: 'Pod', metadata: { name: 'static' } }] };
  const loaded = {
    scenario: DYING,
    folder: 'scenarios/dies',
    manifests: [],
    later,
  } as unknown as DeployedCell['loaded'];
  const registry = { serve: async () => undefined };
  const slowDisk = async (): Promise<void> => undefined;
  return { host, world, watch, loaded, registry, collection: { resume: async () => undefined }, slowDisk };
}

describe('a stimulus', () => {
  it('is done at once on the first node, where only that node knows the victim', async () => {
    const guest = createFakeGuest('node-1', () => 'made');
    const cell = stage([guest, createFakeGuest('node-2', () => 'wrong node')], 'node-2');
    const scenario = { ...DYING, victim: { ...DYING.victim, onNode: 'etcd-node-1' } };
    const loaded = { ...cell.loaded, scenario, parameters: { component: 'etcd' } };
    const command = { kind: 'node-command', about: 'made it', afterSeconds: 3 } as const;
    const told = await stimulate({ ...cell, loaded }, { ...command, script: 'make it', timeoutSeconds: 20 });
    expect(told).toMatchObject({ node: 'node-1', at: new Date(T0).toISOString(), detail: 'made it: made' });
    expect(guest.asked).toEqual([expect.stringMatching(/component='?etcd'?[^]*make it$/)]);
  });

  it.each([
    ['kvm', 20_000],
    ['tcg', 40_000],
  ] as const)(
    'has as long as the scenario says, and twice as long on an emulated node: %s',
    async (accelerator, ms) => {
      const given: unknown[] = [];
      const guest = createFakeGuest('node-2', () => '');
      const must: Guest['must'] = async (_, options) => {
        given.push(options?.timeoutMs);
        return '';
      };
      const cell = stage([{ ...guest, must }], 'node-2');
      const world = { ...cell.world, record: { ...cell.world.record, accelerator } };
      const command = { kind: 'node-command', about: 'looked', afterSeconds: 3, script: 'true' } as const;
      await stimulate({ ...cell, world }, { ...command, timeoutSeconds: 20 });
      expect(given).toEqual([ms]);
    },
  );

  it('is done on the node of the victim, when that is old enough, and says what it did', async () => {
    const server = await startSshServer();
    const host = { waitFor: createWaitFor(stage([], '').host.clock), signal: new AbortController().signal };
    const guest = await connectGuest({ ...server.target, name: 'node-2' }, host, { timeoutMs: 10_000 });
    const cell = stage([createFakeGuest('node-1', () => 'wrong node'), guest], 'node-2');
    const script = 'echo "$POD_NAMESPACE/$POD_NAME $POD_UID $CONTAINER_ID"';
    const command = { kind: 'node-command', about: 'looked', afterSeconds: 3 } as const;
    const told = await stimulate(cell, { ...command, script, timeoutSeconds: 20 });
    const hangs = stimulate(cell, { ...command, script: 'sleep 60', timeoutSeconds: 0.2 });
    await expect(hangs).rejects.toMatchObject({ failure: 'timed-out' });
    guest.close();
    await server.close();
    expect(told).toEqual({
      kind: 'node-command',
      at: new Date(T0 + 3000).toISOString(),
      node: 'node-2',
      detail: 'looked: default/eater-0 u1 abc',
    });
  });

  it('that writes a static pod needs no victim yet: it may be the victim', async () => {
    const first = createFakeGuest('node-1', () => '');
    const cell = { ...stage([first], 'node-1'), watch: createPodWatch(DYING.victim) };
    const told = await stimulate(cell, { kind: 'write-static-pod', file: 'pod.yaml' });
    expect(told).toMatchObject({ node: 'node-1', detail: 'wrote /etc/kubernetes/manifests/pod.yaml' });
    // Whole at once: never a half-written file in the folder that the kubelet watches.
    expect(first.asked).toEqual([
      'write /etc/kubernetes/pod.yaml',
      'mv /etc/kubernetes/pod.yaml /etc/kubernetes/manifests/pod.yaml',
    ]);
  });

  it('that writes a static pod puts it under the handler of workloads', async () => {
    const written: string[] = [];
    const first: Guest = {
      ...createFakeGuest('node-1', () => ''),
      writeFile: (_, text) => Promise.resolve(void written.push(String(text))),
    };
    const cell = { ...stage([first], 'node-1'), watch: createPodWatch(DYING.victim) };
    const variant = { ...DEFAULT_VARIANT, runtime: 'runc@1.4.3' };
    const world = { ...cell.world, record: { ...cell.world.record, variant } };
    await stimulate({ ...cell, world }, { kind: 'write-static-pod', file: 'pod.yaml' });
    expect(written).toEqual([expect.stringContaining('runtimeClassName: runc-under-test')]);
  });

  it('that drains a node cordons it, then evicts what the namespace has on it', async () => {
    const calls: string[] = [];
    const core = {
      listNamespacedPod: (asked: object) => {
        calls.push(JSON.stringify(asked));
        return Promise.resolve({ items: [{ metadata: { name: 'eater-0' } }, { metadata: { name: 'b' } }] });
      },
      createNamespacedPodEviction: ({ name }: { name: string }) =>
        Promise.resolve(void calls.push(`evict ${name}`)),
    };
    const objects = { patch: (change: object) => Promise.resolve(void calls.push(JSON.stringify(change))) };
    const cell = stage([createFakeGuest('node-1', () => '')], 'node-1', core, objects);
    const told = await stimulate(cell, { kind: 'drain-node', afterSeconds: 0 });
    expect(told.detail).toBe('cordoned node-1 and evicted eater-0, b');
    expect(calls).toEqual([
      expect.stringContaining('"unschedulable":true'),
      '{"namespace":"default","fieldSelector":"spec.nodeName=node-1"}',
      'evict eater-0',
      'evict b',
    ]);
  });

  it('fails where the victim runs on a node that is none of the world', async () => {
    const kill: Stimulus = { kind: 'node-signal', signal: 'SIGKILL', to: 'container', afterSeconds: 0 };
    await expect(stimulate(stage([], 'node-9'), kill)).rejects.toMatchObject({
      code: 'LAB_NODE',
      message: 'pod eater-0 runs on unknown node node-9',
    });
  });
});
