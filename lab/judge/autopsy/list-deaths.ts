import { parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import type { ContainerView, KubeEvent, PodSeen } from '../../model/evidence/observation.ts';
import { containerOfEvent } from '../records/event-container.ts';
import { isEvicted, isEvictionEvent } from '../records/eviction-lines.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { compareTimes, earliest, isNear } from '../records/times.ts';
import { FOLLOWS_MS } from '../records/tolerances.ts';
import type { Death } from './death.ts';
import type { KnownContainers, KnownContainer, KnownPod } from './known-containers.ts';

/**
 * Lists every death that the input knows of, newest first: containers that ended, as the API, the runtime or the kubelet
 * says, and processes that the OOM killer took. A death without a time comes last.
 */
export function listDeaths(index: EvidenceIndex, known: KnownContainers): Death[] {
  const deaths = gatherEnds(index, known);
  addMadeUp(deaths, index, known);
  addOomKills(deaths, index, known);
  addToldByEvents(deaths, index, known);
  addEvicted(deaths, index, known);
  return withoutSandboxes([...deaths.values()])
    .map(({ at, refs, api, ...death }) => ({
      ...death,
      at: earliest(at) ?? api,
      refs: firstOfEach(refs),
    }))
    .sort((a, b) => -compareTimes(a.at, b.at, { unknown: 'first' }) || attemptsBetween(a, b));
}

/** Containers of one name have numbers, where nothing tells when they ended. */
function attemptsBetween(a: Death, b: Death): number {
  const isSame = a.podUid === b.podUid && a.container === b.container;
  return isSame ? (b.attempt ?? 0) - (a.attempt ?? 0) : 0;
}

interface Gathered extends Omit<Death, 'at' | 'refs'> {
  /** Times of the node; `api` is cut to whole seconds. */
  readonly at: (number | undefined)[];
  readonly api: number | undefined;
  readonly refs: EvidenceRef[];
}

type Deaths = Map<string, Gathered>;

/**
 * The kubelet calls the end of a sandbox that of a container. Where no other record tells the ids apart, the one without
 * a name is the sandbox, as soon as its pod has one with a name.
 */
function withoutSandboxes(deaths: readonly Gathered[]): Gathered[] {
  const named = new Set(deaths.flatMap(({ podUid, container }) => (container === undefined ? [] : [podUid])));
  return deaths.filter(
    ({ podUid, container, refs }) =>
      container !== undefined || !named.has(podUid) || refs.some(({ source }) => source !== 'kubelet'),
  );
}

interface Told {
  readonly at?: number | undefined;
  readonly api?: number | undefined;
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
  readonly ref: EvidenceRef;
}

/** The ends of containers by their ids. */
function gatherEnds(index: EvidenceIndex, known: KnownContainers): Deaths {
  const ends = new Map<string, Told[]>();
  const add = (id: string, told: Told): void => {
    if (id === '' || known.sandboxes.has(id)) return;
    const of = ends.get(id) ?? [];
    ends.set(id, of);
    of.push(told);
  };
  for (const exit of index.ofAny(['runtime-exit', 'runtime-gone']))
    if (exit.execId === undefined)
      add(exit.containerId, { at: exit.at, exitCode: exit.exitStatus, ref: exit.ref });
  for (const pod of index.of('pod-seen'))
    for (const { id, ...end } of endsIn(pod)) add(id, { ...end, ref: pod.ref });
  for (const { state, containerId, at, exitCode, reason, ref } of index.of('runtime-record'))
    if (state === 'CONTAINER_EXITED')
      add(containerId, { api: at, exitCode, reason: reason || undefined, ref });
  for (const line of index.of('kubelet-said'))
    if (line.about === 'container-died' || line.about === 'container-finished')
      add(line.containerId ?? '', { at: line.at, exitCode: line.exitCode, ref: line.ref });
  const deaths: Deaths = new Map();
  for (const [id, told] of ends) deaths.set(id, gatherTold(begin(known.containers.get(id), id), told));
  return deaths;
}

/** What several records tell of one end: of each thing the first that tells it. */
function gatherTold(begun: Gathered, told: readonly Told[]): Gathered {
  const first = <Name extends 'api' | 'exitCode' | 'reason'>(name: Name): Told[Name] =>
    told.find((one) => one[name] !== undefined)?.[name];
  return {
    ...begun,
    at: told.map(({ at }) => at),
    api: first('api'),
    exitCode: first('exitCode'),
    reason: first('reason'),
    refs: told.map(({ ref }) => ref),
  };
}

interface ToldEnd {
  readonly id: string;
  readonly api: number | undefined;
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
}

function endsIn(pod: PodSeen): ToldEnd[] {
  return pod.containers.flatMap((view) => [
    ...(view.last === undefined ? [] : [toldOf(view.last)]),
    ...(view.state === 'terminated' ? [toldOf(view)] : []),
  ]);
}

function toldOf({
  id,
  exitCode,
  reason,
  finishedAt,
}: Pick<ContainerView, 'id' | 'exitCode' | 'reason' | 'finishedAt'>): ToldEnd {
  return { id, api: finishedAt, exitCode, reason };
}

/** An end that the kubelet made up has no id: it is that of a container which no other record saw end. */
function addMadeUp(deaths: Deaths, index: EvidenceIndex, known: KnownContainers): void {
  for (const pod of index.of('pod-seen'))
    for (const view of pod.containers) {
      const ended = [view.state === 'terminated' ? view : undefined, view.last].find(
        (end) => end !== undefined && end.id === '',
      );
      const ofPod = known.podOf(pod.uid);
      const isKnown = [...deaths.values()].some(
        ({ podUid, container }) => container === view.name && (ofPod?.uids ?? []).includes(podUid ?? ''),
      );
      if (ended === undefined || isKnown) continue;
      const of = { pod: ofPod, name: view.name, attempt: undefined, node: pod.node };
      const made: Gathered = {
        ...begin({ containerId: '', ...of }, undefined),
        api: ended.finishedAt ?? pod.at,
        reason: ended.reason,
        refs: [pod.ref],
      };
      deaths.set(`${pod.uid} ${view.name}`, made);
    }
}

/** What the OOM killer took: a container that ended then, or a process of one that lived on, or of none. */
function addOomKills(deaths: Deaths, index: EvidenceIndex, known: KnownContainers): void {
  for (const kill of index.of('kernel-killed')) {
    const cgroup = kill.context?.taskMemcg ?? kill.group?.cgroup ?? '';
    const { containerId = '', podUid } = parseCgroupPath(cgroup);
    const ended = deaths.get(containerId);
    const container = known.containers.get(containerId);
    if (ended !== undefined) {
      if ([...ended.at, ended.api].some((at) => isNear(kill.at, at, FOLLOWS_MS, { unknown: 'counts' }))) {
        ended.refs.push(kill.ref);
        continue;
      }
    }
    const key = `${kill.boot} ${containerId || kill.pid} process`;
    const before = deaths.get(key);
    if (before !== undefined) {
      before.refs.push(kill.ref);
      continue;
    }
    const ofPod = known.podOf(podUid);
    const of = container ?? { containerId, pod: ofPod, name: undefined, attempt: undefined, node: kill.node };
    deaths.set(key, {
      ...begin(of, containerId || undefined),
      node: kill.node,
      podUid: of.pod?.uids[0] ?? podUid,
      what: 'process',
      at: [kill.at],
      refs: [kill.ref],
    });
  }
}

/**
 * The containers that the kubelet says it stops, and the pods that it says it evicts, where nothing else is known of their pod:
 * whoever pastes a table of events only has a death, too.
 */
function addToldByEvents(deaths: Deaths, index: EvidenceIndex, known: KnownContainers): void {
  const told = new Set([...deaths.values()].map(({ podUid }) => podUid));
  const seen = new Set(index.of('pod-seen').map(({ uid }) => uid));
  const events = index
    .of('kube-event')
    .filter(
      ({ component, objectUid }) => component === 'kubelet' && !told.has(objectUid) && !seen.has(objectUid),
    );
  const add = ({ objectUid, at, ref }: KubeEvent, name: string | undefined): void => {
    const pod = known.podOf(objectUid);
    if (pod === undefined) return;
    const of = { containerId: '', pod, name, attempt: undefined, node: pod.node };
    const key = `${objectUid} ${name ?? ''}`;
    const { refs } = deaths.get(key) ?? { refs: [] };
    deaths.set(key, { ...begin(of, undefined), api: at, refs: [...refs, ref] });
  };
  for (const event of events) {
    const name = event.reason === 'Killing' ? containerOfEvent(event) : undefined;
    if (name !== undefined) add(event, name);
  }
  const stopped = new Set([...deaths.values()].map(({ podUid }) => podUid));
  // The containers of a pod that had gone before it began have nothing to be stopped.
  for (const event of events)
    if (isEvictionEvent(event) && !stopped.has(known.podOf(event.objectUid)?.uids[0])) add(event, undefined);
}

/** Pods that the kubelet says it has evicted, where nothing else tells of an end of them. */
function addEvicted(deaths: Deaths, index: EvidenceIndex, known: KnownContainers): void {
  const told = new Set([...deaths.values()].map(({ podUid }) => podUid));
  for (const line of index.of('kubelet-said').filter(isEvicted)) {
    const ofName = known.pods.filter((pod) => `${pod.namespace ?? ''}/${pod.name ?? ''}` === line.pod);
    const [pod, ...others] = line.podUid === undefined ? ofName : [known.podOf(line.podUid)];
    const uid = pod?.uids[0];
    if (pod === undefined || others.length > 0 || told.has(uid)) continue;
    const of = { containerId: '', pod, name: undefined, attempt: undefined, node: line.node };
    const made = { ...begin(of, undefined), at: [line.at], refs: [line.ref] };
    // Of two pods of one name, which nothing tells apart, each was evicted once.
    deaths.set(`${uid ?? ''} ${line.ref.file}:${line.ref.line ?? ''}`, made);
  }
}

function begin(container: KnownContainer | undefined, containerId: string | undefined): Gathered {
  const pod: KnownPod | undefined = container?.pod;
  return {
    node: container?.node ?? pod?.node,
    namespace: pod?.namespace,
    pod: pod?.name,
    podUid: pod?.uids[0],
    container: container?.name,
    containerId,
    attempt: container?.attempt,
    at: [],
    api: undefined,
    what: 'container',
    exitCode: undefined,
    reason: undefined,
    refs: [],
  };
}

/** The first record of each source. */
function firstOfEach(refs: readonly EvidenceRef[]): EvidenceRef[] {
  const sources = new Set<string>();
  return refs.filter(({ source }) => !sources.has(source) && sources.add(source));
}
