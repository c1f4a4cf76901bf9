import type { Entry } from '../formats/entry.ts';
import type { CollectedFile } from './collected.ts';
import { containerIdsOf } from './containers.ts';

const ID = /[0-9a-f]{64}/g;
/** A pod's uid, also as a slice has it. */
const UID = /[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}/g;

/**
 * Tells of which node each file is: by its path, by the machine that its lines name, and else by there being only one. The API may
 * know the machine by another name: its kernel, kubelet and runtime tell only of containers and pods that are on it.
 */
export function nodesOfFiles(files: readonly CollectedFile[]): (file: CollectedFile) => string | undefined {
  const { nodeOfContainer, nodeOfPod, names: known } = nodesOfPods(files);
  const byLabel = new Map([...known].map((name) => [labelOf(name), name]));
  const named = new Map<CollectedFile, string>();
  for (const file of files) {
    if (isOfCluster(file)) continue;
    const names = [file.place.node, file.host].flatMap((name) => name ?? []);
    const written = names.find((name) => byLabel.has(labelOf(name))) ?? names[0];
    const name =
      nodeByContainers(file, nodeOfContainer, ID) ??
      nodeByContainers(file, nodeOfPod, UID) ??
      (written === undefined ? undefined : (byLabel.get(labelOf(written)) ?? written));
    if (name !== undefined) named.set(file, name);
  }
  // A machine is one node, whichever of its files tells of a container.
  const aliases = new Map<string, string>();
  for (const [{ host }, name] of named) if (host !== undefined && host !== name) aliases.set(host, name);
  // A sosreport has the name of the machine beside the number of a case: "node-1" may be machine "node", case 1.
  for (const [{ place }, name] of named)
    if (place.node !== undefined && !known.has(place.node) && known.has(name)) aliases.set(place.node, name);
  const nodeOf = (file: CollectedFile): string | undefined => {
    const name = named.get(file);
    return name === undefined ? undefined : (aliases.get(name) ?? name);
  };
  const all = new Set([...named.keys()].flatMap((file) => nodeOf(file) ?? []));
  const only = all.size === 1 ? [...all][0] : all.size === 0 ? onlyNodeOf(nodeOfContainer) : undefined;
  return (file) => (isOfCluster(file) ? undefined : (nodeOf(file) ?? only));
}

/** Objects of the API, tables of them, and metrics, which name the pod, are of no node. */
export function isOfCluster({ kept, first }: CollectedFile): boolean {
  return first === undefined && kept.some(({ entry }) => OF_CLUSTER.includes(entry.kind));
}

const OF_CLUSTER: readonly Entry['kind'][] = ['object', 'row', 'oom-count'];

/** A machine calls itself by the first part of its name, the API often by the whole of it. */
function labelOf(name: string): string {
  return name.split('.')[0] ?? name;
}

function nodesOfPods(files: readonly CollectedFile[]): {
  readonly nodeOfContainer: ReadonlyMap<string, string>;
  readonly nodeOfPod: ReadonlyMap<string, string>;
  readonly names: ReadonlySet<string>;
} {
  const nodes = new Map<string, string>();
  const pods = new Map<string, string>();
  const names = new Set<string>();
  for (const { kept } of files)
    for (const { entry } of kept) {
      if (entry.kind !== 'object' || entry.what !== 'pod') continue;
      const { spec, metadata } = entry.object as {
        readonly spec?: { readonly nodeName?: unknown };
        readonly metadata?: { readonly uid?: unknown };
      };
      const name = spec?.nodeName;
      if (typeof name !== 'string') continue;
      names.add(name);
      for (const id of containerIdsOf(entry.object)) nodes.set(id, name);
      if (typeof metadata?.uid === 'string') pods.set(metadata.uid, name);
    }
  return { nodeOfContainer: nodes, nodeOfPod: pods, names };
}

/** The node of a container or of a pod that a file tells of. */
function nodeByContainers(
  file: CollectedFile,
  nodeOf: ReadonlyMap<string, string>,
  wanted: RegExp,
): string | undefined {
  if (nodeOf.size === 0) return undefined;
  for (const { entry, role } of file.kept) {
    const isOfMachine = wanted === ID || role === 'kubelet' || role === 'containerd';
    const text =
      entry.kind === 'kernel'
        ? entry.text
        : entry.kind === 'program' && isOfMachine
          ? entry.message
          : entry.kind === 'runtime'
            ? entry.containerId
            : '';
    for (const [id] of text.matchAll(wanted)) {
      const name = nodeOf.get(id.replaceAll('_', '-'));
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Logs of a machine without a name, and pods of one node: they may be of that one. */
function onlyNodeOf(nodes: ReadonlyMap<string, string>): string | undefined {
  const names = new Set(nodes.values());
  return names.size === 1 ? [...names][0] : undefined;
}
