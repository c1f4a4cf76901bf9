import type { Observation } from '../../model/evidence/observation.ts';
import { POD_ROW_BEGIN } from '../formats/kubectl-pods.ts';
import type { ReadBundle } from './read-bundle.ts';

/** Names of a cluster that say whose it is. */
export interface ClusterNames {
  readonly nodes: Set<string>;
  readonly namespaces: Set<string>;
  readonly pods: Set<string>;
  /** Deployments, jobs and alike, whose names those of pods begin with. */
  readonly owners: Set<string>;
  /** Without tag and digest. */
  readonly images: Set<string>;
}

/** Names that every cluster has, and words that readers of logs know: a pod of that name keeps it. */
const OF_EVERYBODY = new Set(
  'default kube-system kube-public kube-node-lease localhost kernel kubelet containerd systemd crio cri-o docker dockerd conmon runc crun runsc pause pod pods node nodes container containers memory cgroup cpu kubepods burstable besteffort guaranteed true false null none error info warning killed process system kind name namespace status spec metadata items list event v1 io k8s kubernetes journal dmesg log logs var proc sys files json yaml txt'.split(
    ' ',
  ),
);
const SHORTEST = 3;

/** Finds the names that the records of a bundle tell. */
export function namesInRecords(
  observations: readonly Observation[],
  sources: ReadBundle['sources'],
): ClusterNames {
  const names: ClusterNames = {
    nodes: new Set(),
    namespaces: new Set(),
    pods: new Set(),
    owners: new Set(),
    images: new Set(),
  };
  const add = (to: Set<string>, name: string | undefined): void => {
    if (name !== undefined && name !== '') to.add(name);
  };
  for (const { node } of sources) add(names.nodes, node);
  for (const seen of observations) {
    add(names.nodes, seen.node);
    if (seen.kind === 'node-seen') add(names.nodes, seen.name);
    if (seen.kind !== 'pod-seen' && seen.kind !== 'sandbox-created') continue;
    add(names.namespaces, seen.namespace);
    add(names.pods, seen.kind === 'pod-seen' ? seen.name : seen.pod);
  }
  return names;
}

const HOSTS = [
  /^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (\S+) [^\s:]+: /,
  /^(?:<\d+>)?(?:1 )?\d{4}-\d\d-\d\dT\S+ (\S+) \S+/,
  /^_HOSTNAME=(\S+)$/,
  /"_HOSTNAME": ?"([^"\\]+)"/,
  /["']?(?:nodeName|kubernetes\.io\/hostname|hostname|hostIP)["']?: ?["']?([a-z0-9][\w.-]*)/i,
];
const FIELDS: readonly (readonly [keyof ClusterNames, RegExp])[] = [
  ['namespaces', /["']?namespace["']?[:=] ?\\*["']?([a-z0-9][a-z0-9-]*)/gi],
  ['images', /["']?(?:image|Image)["']?[:=] ?\\*["']?(?:docker-pullable:\/\/)?([a-z0-9][\w./:@-]*\w)/g],
];
/** `pod="namespace/name"` of klog. */
const KLOG_POD = /\bpods?="([a-z0-9-]+)\/([a-z0-9.-]+)"/g;
const RUNTIME_POD = /PodSandboxMetadata\{Name:([^,{}]+),Uid:[^,{}]*,Namespace:([^,{}]+),/g;
/** The object of an event in a table of kubectl. */
const TABLE_OBJECT = /(?:^|\s)pods?\/([a-z0-9][a-z0-9.-]*)(?=\s)/g;
/** A row of a table of pods, also of one that nobody reads further: its status may be `Init:0/1`, and its end may be cut. */
const TABLE_ROW = new RegExp(POD_ROW_BEGIN);
const OWNER = /["']?generateName["']?: ?["']?([a-z0-9][a-z0-9.-]*)-/;

/** Adds the names that a text of a bundle shows. */
export function addNamesIn(text: string, names: ClusterNames): void {
  for (const line of text.split('\n')) {
    for (const pattern of HOSTS) {
      const host = pattern.exec(line)?.[1];
      if (host !== undefined && host !== '-') names.nodes.add(host);
    }
    for (const [to, pattern] of FIELDS)
      for (const [, name = ''] of line.matchAll(pattern))
        names[to].add(to === 'images' ? name.replace(/@.*$/, '').replace(/:[\w.-]*$/, '') : name);
    for (const [, namespace = '', pod = ''] of line.matchAll(KLOG_POD)) {
      names.namespaces.add(namespace);
      names.pods.add(pod);
    }
    for (const [, pod = '', namespace = ''] of line.matchAll(RUNTIME_POD)) {
      names.namespaces.add(namespace);
      names.pods.add(pod);
    }
    for (const [, pod = ''] of line.matchAll(TABLE_OBJECT)) names.pods.add(pod);
    const [, namespace, pod] = TABLE_ROW.exec(line) ?? [];
    if (namespace !== undefined) names.namespaces.add(namespace);
    if (pod !== undefined) names.pods.add(pod);
    const owner = OWNER.exec(line)?.[1];
    if (owner !== undefined) {
      names.owners.add(owner);
      names.owners.add(owner.replace(/-[a-z0-9]{6,10}$/, ''));
    }
  }
}

const WORD = /[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?/g;
const IPV4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g;
const IPV6 =
  /(?<![\w:.])(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}|(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?![\w:])/gi;
const OF_EVERY_HOST = /^(?:127\.|0\.0\.0\.0|255\.|::1?$)/;

/**
 * Builds what puts a pseudonym in the place of each name, the same one wherever the name is, so that records still belong
 * together. Ids stay: they are drawn by chance.
 */
export function createPseudonyms(names: ClusterNames): (text: string) => string {
  const words = new Map<string, string>();
  const known = new Set(Object.values(names).flatMap((ofKind: Set<string>) => [...ofKind]));
  const give = (name: string, begin: string, end = ''): string => {
    const before = words.get(name);
    if (before !== undefined) return before;
    let number = words.size + 1;
    while (known.has(`${begin}${number}${end}`)) number += 1000;
    const pseudonym = `${begin}${number}${end}`;
    words.set(name, pseudonym);
    return pseudonym;
  };
  for (const node of [...names.nodes].sort(byLength)) if (isOwn(node)) addNode(node, words, give);
  for (const namespace of names.namespaces) if (isOwn(namespace)) give(namespace, 'ns-');
  for (const pod of names.pods) if (isOwn(pod)) give(pod, 'pod-');
  for (const owner of names.owners) if (isOwn(owner)) give(owner, 'owner-');
  const paths = new Map<string, string>();
  for (const image of [...names.images].sort(byLength).reverse()) {
    if (!isOwn(image)) continue;
    if (image.includes('/')) paths.set(image, `image-${paths.size + 1}`);
    else give(image, 'image-');
  }
  const inside = [...names.nodes].filter((node) => words.has(node) && node.length > 4 && /[\d.-]/.test(node));
  const replaceImages = replaceAll(paths, /[\w./-]/.source);
  const replaceNodes = replaceAll(
    new Map(inside.map((node) => [node, words.get(node) ?? node])),
    /[A-Za-z0-9]/.source,
  );
  const addresses = new Map<string, string>();
  return (text) =>
    replaceNodes(replaceImages(text).replace(WORD, (word) => wordFor(word, words)))
      .replace(IPV4, (address) => addressFor(address, addresses, (n) => `198.18.${n >> 8}.${n & 255}`))
      .replace(IPV6, (address) =>
        address === '::' ? address : addressFor(address, addresses, (n) => `2001:db8::${n.toString(16)}`),
      );
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}

function isOwn(name: string): boolean {
  return name.length >= SHORTEST && !OF_EVERYBODY.has(name.toLowerCase()) && !/^[\d.]+$/.test(name);
}

/** A host and its name with the domain stay the same host, and a folder that is known as that of a node stays known. */
function addNode(
  node: string,
  words: ReadonlyMap<string, string>,
  give: (name: string, begin: string, end?: string) => string,
): void {
  const dot = node.indexOf('.');
  const host = dot < 0 ? undefined : words.get(node.slice(0, dot));
  if (host !== undefined) give(node, `${host}.domain-`);
  else if (/^node-\d+$/.test(node)) give(node, 'node-9');
  else if (/^i-[0-9a-f]+$/.test(node)) give(node, 'i-00');
  else give(node, 'host-', /-(?:control-plane|worker)\d*$/.exec(node)?.[0] ?? '');
}

/** A word, or its beginning up to a dot: an event is called by its pod. */
function wordFor(word: string, words: ReadonlyMap<string, string>): string {
  for (let end = word.length; end > 0; end = word.lastIndexOf('.', end - 1)) {
    const found = words.get(word.slice(0, end));
    if (found !== undefined) return found + word.slice(end);
  }
  return word;
}

function replaceAll(names: ReadonlyMap<string, string>, inWord: string): (text: string) => string {
  if (names.size === 0) return (text) => text;
  const all = [...names.keys()]
    .sort(byLength)
    .reverse()
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<!${inWord})(?:${all.join('|')})(?!${inWord})`, 'g');
  return (text) => text.replace(pattern, (name) => names.get(name) ?? name);
}

function addressFor(
  address: string,
  addresses: Map<string, string>,
  make: (number: number) => string,
): string {
  if (OF_EVERY_HOST.test(address)) return address;
  const before = addresses.get(address);
  if (before !== undefined) return before;
  const made = make(addresses.size + 1);
  addresses.set(address, made);
  return made;
}
