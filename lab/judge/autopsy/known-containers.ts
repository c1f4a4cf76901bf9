import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { Observation } from '../../model/evidence/observation.ts';
import { isEvicted } from '../records/eviction-lines.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';

/** A pod as any record knows it: the API, the kubelet, the runtime, or the path of a cgroup. */
export interface KnownPod {
  /** The uid by which its node knows it first; the API knows the mirror of a static pod by another one. */
  readonly uids: readonly string[];
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly node: string | undefined;
}

/** A container as any record knows it. */
export interface KnownContainer {
  readonly containerId: string;
  readonly pod: KnownPod | undefined;
  readonly name: string | undefined;
  readonly attempt: number | undefined;
  readonly node: string | undefined;
}

/** All pods and containers that the input knows. */
export interface KnownContainers {
  readonly pods: readonly KnownPod[];
  readonly containers: ReadonlyMap<string, KnownContainer>;
  /** Ids of sandboxes, which the runtime makes like containers. */
  readonly sandboxes: ReadonlySet<string>;
  podOf(uid: string | undefined): KnownPod | undefined;
}

interface Facts {
  podUid?: string | undefined;
  name?: string | undefined;
  attempt?: number | undefined;
  node?: string | undefined;
}

/** Joins what all records say of pods and containers, by uid and id. */
export function listKnown(index: EvidenceIndex): KnownContainers {
  const byUid = joinPods(index);
  const pods = [...new Set(byUid.values())];
  const facts = new Map<string, Facts>();
  const add = (id: string | undefined, { node }: Observation, found: Facts): void => {
    if (id === undefined || id === '') return;
    const { podUid, name, attempt } = facts.get(id) ?? {};
    facts.set(id, {
      podUid: podUid ?? (found.podUid === '' ? undefined : found.podUid),
      name: name ?? found.name,
      attempt: attempt ?? found.attempt,
      node: facts.get(id)?.node ?? node ?? found.node,
    });
  };
  for (const pod of index.of('pod-seen'))
    for (const view of pod.containers) {
      const of = { podUid: pod.uid, name: view.name, node: pod.node };
      add(view.id, pod, { ...of, attempt: view.restartCount });
      // A terminated container that waits for its next start is the last one as well.
      add(view.last?.id, pod, { ...of, attempt: Math.max(0, view.restartCount - 1) });
    }
  const sandboxUids = new Map<string, string>();
  for (const { sandboxId, podUid } of index.of('sandbox-created')) sandboxUids.set(sandboxId, podUid);
  for (const made of index.of('runtime-created'))
    add(made.containerId, made, {
      podUid: made.podUid || sandboxUids.get(made.sandboxId ?? ''),
      name: made.container,
      attempt: made.attempt,
    });
  for (const line of index.of('kubelet-said'))
    add(line.containerId, line, { podUid: line.podUid, name: line.container });
  for (const observation of index.all)
    for (const path of cgroupsIn(observation)) {
      const { containerId, podUid } = parseCgroupPath(path);
      add(containerId, observation, { podUid });
    }
  for (const event of index.ofAny(['runtime-exit', 'runtime-gone', 'runtime-oom', 'runtime-record']))
    add(event.containerId, event, {});
  const sandboxes = new Set([
    ...sandboxUids.keys(),
    ...index.of('runtime-created').flatMap(({ sandboxId }) => sandboxId ?? []),
  ]);
  // A cluster has thousands of pods, and is asked for one of them for each container.
  const podOf: KnownContainers['podOf'] = (uid) => (uid === undefined ? undefined : byUid.get(uid));
  const containers = [...facts].map(([containerId, { podUid, ...rest }]): [string, KnownContainer] => [
    containerId,
    { containerId, name: rest.name, attempt: rest.attempt, node: rest.node, pod: podOf(podUid) },
  ]);
  return { pods, containers: new Map(containers), sandboxes, podOf };
}

const UNNAMED = { namespace: undefined, name: undefined };

/** Pods by uid; that of a static pod and that of its mirror are one. */
function joinPods(index: EvidenceIndex): ReadonlyMap<string, KnownPod> {
  const known = new Map<string, KnownPod>();
  const add = (uids: readonly string[], found: Omit<KnownPod, 'uids'>): void => {
    const all = [...new Set(uids)].filter((uid) => uid !== '');
    const before = all.map((uid) => known.get(uid)).find((pod) => pod !== undefined);
    const joined: KnownPod = {
      uids: [...new Set([...(before?.uids ?? []), ...all])],
      namespace: before?.namespace ?? found.namespace,
      name: before?.name ?? found.name,
      node: before?.node ?? found.node,
    };
    for (const uid of joined.uids) known.set(uid, joined);
  };
  for (const { uid, mirrorOf = uid, namespace, name, node } of index.of('pod-seen'))
    add([mirrorOf, uid], { namespace: namespace || undefined, name: name || undefined, node });
  for (const { podUid, namespace, pod, node } of index.of('sandbox-created'))
    add([podUid], { namespace, name: pod, node });
  for (const { podUid, namespace, pod, node } of index.of('runtime-created'))
    add([podUid], { namespace, name: pod, node });
  for (const { podUid, pod, node } of index.of('kubelet-said')) {
    const [namespace, name] = pod?.split('/') ?? [];
    if (podUid !== undefined) add([podUid], { namespace, name, node });
  }
  // Since 1.21 the kubelet names a pod that it has evicted without its uid.
  for (const line of index.of('kubelet-said').filter(isEvicted)) {
    const [namespace, name] = line.pod?.split('/') ?? [];
    const isKnown = [...known.values()].some((pod) => pod.namespace === namespace && pod.name === name);
    if (line.podUid === undefined && !isKnown) add([line.pod ?? ''], { namespace, name, node: line.node });
  }
  for (const { objectKind, objectUid, objectNamespace, objectName } of index.of('kube-event'))
    if (objectKind === 'Pod' && objectUid !== '')
      add([objectUid], {
        namespace: objectNamespace || undefined,
        name: objectName || undefined,
        node: undefined,
      });
  for (const observation of index.all)
    for (const path of cgroupsIn(observation))
      add([parseCgroupPath(path).podUid ?? ''], { ...UNNAMED, node: observation.node });
  return known;
}

/** The cgroups that a record names. */
function cgroupsIn(observation: Observation): readonly string[] {
  switch (observation.kind) {
    case 'kernel-oom-context':
      return observation.taskMemcg === undefined ? [] : [observation.taskMemcg];
    case 'kernel-said':
    case 'system-said':
      return observation.cgroup === undefined ? [] : [observation.cgroup];
    case 'process-seen':
      return [observation.cgroup];
    case 'cgroup-created':
      return [observation.path];
    default:
      return [];
  }
}
