import { stringify } from 'yaml';
import { apiErrorText } from '../../drivers/kubernetes.ts';
import type { Guest, Host } from '../../model/host.ts';
import type { CellRecord } from '../../model/observation.ts';
import type { LoadedScenario } from '../../model/scenario.ts';
import { exportLines } from '../../model/shell.ts';
import type { Stimulus, StimulusOf } from '../../model/stimulus.ts';
import { HostError } from '../../model/errors.ts';
import type { Collection } from './collect.ts';
import { createObjects } from './create-objects.ts';
import { waitUntilRunning } from './observe.ts';
import type { PodWatch, VictimView } from './pod-watch.ts';
import { rebootNode } from '../restore/reboot.ts';
import { signalScript } from './signal-script.ts';
import type { OpenWorld, UsedWorld } from '../world.ts';

const START_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 120_000;

/** A cell whose objects are deployed. */
export interface DeployedCell {
  readonly host: Host;
  readonly world: UsedWorld;
  readonly watch: PodWatch;
  readonly collection: Pick<Collection, 'resume'>;
  readonly loaded: LoadedScenario;
}

/** What a stimulus works on. */
interface Target extends DeployedCell {
  readonly view: VictimView;
  readonly guest: Guest;
}

/** Does to the victim what the scenario says, once it runs, and records what was done. */
export async function stimulate(
  cell: DeployedCell,
  stimulus: Stimulus,
): Promise<CellRecord['stimuli'][number]> {
  const { host, world, watch, loaded } = cell;
  const now = (): string => new Date(host.clock.now()).toISOString();
  if (stimulus.kind === 'write-static-pod' && stimulus.afterSeconds === undefined) {
    const first = world.guests[0];
    if (first === undefined) throw new HostError('LAB_NODE', 'the world has no node');
    const at = now();
    return {
      kind: stimulus.kind,
      at,
      node: first.name,
      detail: await writeStaticPod(first, loaded, stimulus),
    };
  }
  const view = await waitUntilRunning(host, watch, stimulus.afterSeconds ?? 0, START_TIMEOUT_MS);
  const guest = world.guests.find((each) => each.name === view.node);
  if (guest === undefined)
    throw new HostError('LAB_NODE', `pod ${view.pod} runs on unknown node ${view.node}`);
  const at = now();
  const detail = await perform({ ...cell, view, guest }, stimulus);
  return { kind: stimulus.kind, at, node: guest.name, detail: detail.trim() };
}

/** Does one thing and says what it did, for the record. */
async function perform(target: Target, stimulus: Stimulus): Promise<string> {
  const { world, loaded, view, guest } = target;
  const { core } = world.kubernetes;
  const { namespace } = loaded.scenario.victim;
  const pod = { name: view.pod, namespace };
  switch (stimulus.kind) {
    case 'node-signal':
      return guest.must(signalScript(view.containerId, stimulus.signal, stimulus.to));
    case 'node-command':
      return runOnNode(target, stimulus);
    case 'node-reboot':
      return rebootNode(target.host, world, guest, stimulus.how, target.collection.resume);
    case 'delete-pod': {
      const { gracePeriodSeconds } = stimulus;
      await core.deleteNamespacedPod({
        ...pod,
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      });
      return `deleted pod ${view.pod}`;
    }
    case 'evict-pod':
      await evict(world, namespace, view.pod);
      return `asked the eviction API for pod ${view.pod}`;
    case 'drain-node':
      return drain(target, namespace);
    case 'taint-node':
      return taint(target, stimulus);
    case 'create': {
      const objects = loaded.later[stimulus.file] ?? [];
      await createObjects(
        world,
        `${loaded.folder}/later/${stimulus.file}`,
        objects,
        loaded.scenario.victim.namespace,
      );
      return `created the ${objects.length} objects of later/${stimulus.file}`;
    }
    case 'patch-pod': {
      const { spec, subresource } = stimulus;
      await world.kubernetes.patchPod(pod, spec, subresource);
      return `patched ${subresource ?? 'spec'} of pod ${view.pod} with ${JSON.stringify(spec)}`;
    }
    case 'write-static-pod':
      return writeStaticPod(guest, loaded, stimulus);
    case 'remove-static-pod':
      await guest.must(`rm ${staticPodPath(stimulus.file)}`);
      return `removed ${staticPodPath(stimulus.file)}`;
    case 'exec':
      await world.kubernetes.exec(pod, loaded.scenario.victim.container, stimulus.command);
      return `started ${stimulus.command.join(' ')} in the container`;
  }
}

async function runOnNode(
  { guest, view, loaded }: Target,
  stimulus: StimulusOf<'node-command'>,
): Promise<string> {
  const variables = {
    ...loaded.parameters,
    CONTAINER_ID: view.containerId,
    POD_UID: view.uid,
    POD_NAME: view.pod,
    POD_NAMESPACE: loaded.scenario.victim.namespace,
  };
  const printed = await guest.must(exportLines(variables) + stimulus.script, {
    timeoutMs: COMMAND_TIMEOUT_MS,
  });
  return `${stimulus.about}: ${printed.trim()}`;
}

/** `staticPodPath` as kubeadm sets it. */
function staticPodPath(file: string): string {
  return `/etc/kubernetes/manifests/${file}`;
}

/** Whole at once: the kubelet looks into the folder whenever it changes. */
async function writeStaticPod(
  guest: Guest,
  loaded: LoadedScenario,
  { file }: StimulusOf<'write-static-pod'>,
): Promise<string> {
  const path = staticPodPath(file);
  const temporary = `/etc/kubernetes/${file}`;
  await guest.writeFile(temporary, stringify(loaded.later[file]?.[0]), 0o600);
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
async function drain({ world, view }: Target, namespace: string): Promise<string> {
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
