import { stringify } from 'yaml';
import { apiErrorText } from '../../drivers/kubernetes/kubernetes.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import type { CellRecord } from '../../model/evidence/observation.ts';
import { plural } from '../../model/text/plural.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { exportLines } from '../../model/text/shell.ts';
import type { Stimulus, StimulusKind, StimulusOf } from '../../model/declared/stimulus.ts';
import { HostError } from '../../model/errors/errors.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { CellRegistry } from './cell-registry.ts';
import type { Collection } from './collect.ts';
import { createObjects, underHandler } from './create-objects.ts';
import { waitForVictim } from './wait-for-victim.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';
import { rebootNode } from '../restore/reboot.ts';
import { longestMs } from './scenario-time.ts';
import { signalScript } from './signal-script.ts';
import type { OpenWorld, UsedWorld } from '../world.ts';

/** A cell with its objects deployed. */
export interface DeployedCell {
  readonly host: Host;
  readonly world: UsedWorld;
  readonly watch: PodWatch;
  readonly collection: Pick<Collection, 'resume'>;
  readonly registry: Pick<CellRegistry, 'serve'>;
  readonly loaded: LoadedScenario;
  /** Bounds the reads of a node's disk until the cell is over. */
  readonly slowDisk: (node: string, readsPerSecond: number) => Promise<void>;
}

/** What a stimulus works on. */
interface Target extends DeployedCell {
  /** The namespace of the victim. */
  readonly namespace: string;
  readonly view: VictimView;
  readonly guest: Guest;
}

/** Does to the victim what the scenario says, once it runs, and records what was done. */
export async function stimulate(
  cell: DeployedCell,
  stimulus: Stimulus,
): Promise<CellRecord['stimuli'][number]> {
  const { host, world, watch, loaded } = cell;
  const { namespace, onNode } = loaded.scenario.victim;
  const now = (): string => new Date(host.clock.now()).toISOString();
  if (stimulus.kind === 'write-static-pod' && stimulus.afterSeconds === undefined) {
    const first = firstNode(world);
    const at = now();
    return {
      kind: stimulus.kind,
      at,
      node: first.name,
      detail: await writeStaticPod({ ...cell, namespace, guest: first }, stimulus.file),
    };
  }
  if (onNode !== undefined && stimulus.kind === 'node-command') {
    const guest = firstNode(world);
    const at = now();
    const detail = await runScript({ world, guest }, stimulus, { ...loaded.parameters });
    return { kind: stimulus.kind, at, node: guest.name, detail: detail.trim() };
  }
  const view = await waitForVictim(host, watch, stimulus, TIME_LIMITS.cell.victimRuns.ms);
  const guest = world.guests.find((node) => node.name === view.node);
  if (guest === undefined)
    throw new HostError('LAB_NODE', `pod ${view.pod} runs on unknown node ${view.node}`);
  const at = now();
  const detail = await act({ ...cell, namespace, view, guest }, stimulus);
  return { kind: stimulus.kind, at, node: guest.name, detail: detail.trim() };
}

/** The node that the control plane is on. */
export function firstNode({ guests }: Pick<OpenWorld, 'guests'>): Guest {
  const [first] = guests;
  if (first === undefined) throw new HostError('LAB_NODE', 'the world has no node');
  return first;
}

/** How each kind is acted: does it and says what was done, for the record. */
const ACTS: {
  readonly [K in StimulusKind]: (target: Target, stimulus: StimulusOf<K>) => Promise<string>;
} = {
  'node-signal': ({ guest, view }, { signal, to }) => guest.must(signalScript(view.containerId, signal, to)),
  'node-command': runOnNode,
  'node-reboot': ({ host, world, guest, collection, registry }, { how }) =>
    rebootNode(host, world, guest, how, async (again) => {
      await collection.resume(again);
      await registry.serve(again);
    }),
  'delete-pod': deletePod,
  'evict-pod': async ({ world, view, namespace }) => {
    await evict(world, namespace, view.pod);
    return `asked the eviction API for pod ${view.pod}`;
  },
  'drain-node': drain,
  'taint-node': taint,
  create: async ({ world, loaded, namespace }, { file }) => {
    const objects = loaded.later[file] ?? [];
    await createObjects(world, `${loaded.folder}/later/${file}`, objects, namespace);
    return `created ${plural(objects.length, 'object')} of later/${file}`;
  },
  'patch-pod': async ({ world, view, namespace }, { spec, subresource }) => {
    await world.kubernetes.patchPod({ name: view.pod, namespace }, spec, subresource);
    return `patched ${subresource ?? 'spec'} of pod ${view.pod} with ${JSON.stringify(spec)}`;
  },
  'write-static-pod': (target, { file }) => writeStaticPod(target, file),
  'remove-static-pod': async ({ guest }, { file }) => {
    await guest.must(`rm ${staticPodPath(file)}`);
    return `removed ${staticPodPath(file)}`;
  },
  'slow-disk': async ({ slowDisk, view }, { readsPerSecond }) => {
    await slowDisk(view.node, readsPerSecond);
    return `the disk of ${view.node} answers ${readsPerSecond} reads a second`;
  },
  exec: async ({ world, view, namespace, loaded }, { command }) => {
    await world.kubernetes.exec({ name: view.pod, namespace }, loaded.scenario.victim.container, command);
    return `started ${command.join(' ')} in the container`;
  },
};

function act(target: Target, stimulus: Stimulus): Promise<string> {
  const own = ACTS[stimulus.kind] as (target: Target, stimulus: Stimulus) => Promise<string>;
  return own(target, stimulus);
}

async function deletePod(
  { world, view, namespace }: Target,
  { gracePeriodSeconds }: StimulusOf<'delete-pod'>,
): Promise<string> {
  await world.kubernetes.core.deleteNamespacedPod({
    name: view.pod,
    namespace,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  });
  return `deleted pod ${view.pod}`;
}

async function runOnNode(
  { world, guest, view, loaded, namespace }: Target,
  stimulus: StimulusOf<'node-command'>,
): Promise<string> {
  const variables = {
    ...loaded.parameters,
    CONTAINER_ID: view.containerId,
    POD_UID: view.uid,
    POD_NAME: view.pod,
    POD_NAMESPACE: namespace,
  };
  return runScript({ world, guest }, stimulus, variables);
}

async function runScript(
  { world, guest }: Pick<Target, 'world' | 'guest'>,
  { about, script, timeoutSeconds }: StimulusOf<'node-command'>,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const timeoutMs = longestMs(timeoutSeconds, world.record.accelerator);
  const options = { name: `the script "${about}" on ${guest.name}`, timeoutMs };
  const printed = await guest.must(exportLines(variables) + script, options);
  return `${about}: ${printed.trim()}`;
}

/** `staticPodPath` as kubeadm sets it. */
function staticPodPath(file: string): string {
  return `/etc/kubernetes/manifests/${file}`;
}

/** Renamed into place: the kubelet reads the folder whenever it changes. */
async function writeStaticPod(
  { world, namespace, guest, loaded }: Pick<Target, 'world' | 'namespace' | 'guest' | 'loaded'>,
  file: string,
): Promise<string> {
  const path = staticPodPath(file);
  const temporary = `/etc/kubernetes/${file}`;
  const [pod] = loaded.later[file] ?? [];
  const manifest = pod === undefined ? pod : underHandler(world, namespace, pod);
  await guest.writeFile(temporary, stringify(manifest), 0o600);
  await guest.must(`mv ${temporary} ${path}`);
  return `wrote ${path}`;
}

async function evict(world: OpenWorld, namespace: string, name: string): Promise<void> {
  await world.kubernetes.core.createNamespacedPodEviction({
    name,
    namespace,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
  });
}

/** Cordons the node and evicts the pods of the namespace on it: what `kubectl drain` does, but for other namespaces. */
async function drain({ world, view, namespace }: Target): Promise<string> {
  await patchNode(world, view.node, { spec: { unschedulable: true } });
  const pods = await world.kubernetes.core.listNamespacedPod({
    namespace,
    fieldSelector: `spec.nodeName=${view.node}`,
  });
  const names = pods.items.flatMap((pod) => pod.metadata?.name ?? []);
  for (const name of names) await evict(world, namespace, name);
  return `cordoned ${view.node} and evicted ${names.join(', ')}`;
}

async function taint({ world, view }: Target, stimulus: StimulusOf<'taint-node'>): Promise<string> {
  const { key, value, effect } = stimulus;
  const node = await world.kubernetes.core.readNode({ name: view.node });
  const added = { key, effect, ...(value === undefined ? {} : { value }) };
  await patchNode(world, view.node, { spec: { taints: [...(node.spec?.taints ?? []), added] } });
  return `tainted ${view.node} with ${key}${value === undefined ? '' : `=${value}`}:${effect}`;
}

async function patchNode(world: OpenWorld, name: string, change: object): Promise<void> {
  try {
    const kind = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    await world.kubernetes.objects.patch({ ...kind, ...change } as never);
  } catch (error) {
    throw new HostError('LAB_NODE', `the API did not change node ${name}: ${apiErrorText(error)}`, {
      cause: error,
    });
  }
}
