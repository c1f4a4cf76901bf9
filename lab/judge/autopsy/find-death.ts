import { placeOf } from '../../model/saved/place-of.ts';
import { UNNAMED_POD } from '../../model/evidence/unnamed-pod.ts';
import { isMadeUpReason } from '../records/container-end.ts';
import type { EvidenceIndex } from '../records/evidence-index.ts';
import { describeContainer, type AskedDeath, type Death, type DeathProblem } from './death.ts';
import type { KnownContainers, KnownPod } from './known-containers.ts';
import { deriveOnce } from '../records/derive-once.ts';

/** The container whose end is judged; it may live. */
export interface FoundDeath {
  readonly kind: 'found';
  readonly pod: KnownPod;
  /** Empty where no record has its name, or its id. */
  readonly container: string;
  readonly containerId: string;
  /** Undefined when the input knows of no end of it. */
  readonly death: Death | undefined;
}

/** Finds the one death that is asked about. Where several fit, or none does, it says so and guesses nothing. */
export function findDeath(
  asked: AskedDeath,
  deaths: readonly Death[],
  known: KnownContainers,
  index: EvidenceIndex,
): FoundDeath | DeathProblem {
  const all = leaveProcesses(deaths);
  const named = all.filter(({ podUid }) => podUid !== undefined);
  // A log of the runtime may have containers only, and not say of which pods they are.
  const ofPods = named.length > 0 ? named : all.filter(({ what }) => what === 'container');
  const ofContainers = ofPods.filter(({ node }) => asked.node === undefined || node === asked.node);
  if (asked.pod === undefined) {
    if (ofPods.length === 0) return findAlive(known, index, deaths);
    const alone = findWithoutPod(asked, ofContainers, known, index);
    const isOther = alone.kind === 'no-deaths' && selectFitting(ofContainers, asked, []).length === 0;
    if (!isOther) return alone;
    const says = 'no death in the input is the one that was asked for; there are';
    return { kind: 'no-such-attempt', says, known: ofPods.map(describeContainer) };
  }
  const pods = findPods(asked.pod, known).filter(
    ({ node }) => asked.node === undefined || node === undefined || node === asked.node,
  );
  const [pod, ...others] = pods;
  const names = known.pods.flatMap((one) => nameOf(one) ?? []);
  // A part of a pod that was pasted without its name is of the one that is asked about.
  const unnamed = known.pods.filter(({ uids }) => uids.includes(UNNAMED_POD));
  if (pod === undefined && unnamed[0] !== undefined)
    return findOfPod(asked, withNameAsked(unnamed[0], asked.pod), ofContainers, known, index);
  if (pod === undefined)
    return { kind: 'no-such-pod', says: `no pod ${asked.pod} is in the input`, known: names };
  if (others.length > 0)
    return {
      kind: 'several-pods',
      says: `${pods.length} pods are called ${asked.pod}: ask by uid`,
      known: pods.map((one) => `${nameOf(one) ?? '?'} (uid ${one.uids.join(', ')})`),
    };
  return findOfPod(asked, pod, ofContainers, known, index);
}

function findWithoutPod(
  asked: AskedDeath,
  deaths: readonly Death[],
  known: KnownContainers,
  index: EvidenceIndex,
): FoundDeath | DeathProblem {
  const fitting = selectFitting(deaths, asked, []);
  const [death, ...others] = fitting;
  if (death === undefined) return noDeaths(known, deaths, index);
  if (others.length > 0) return several(fitting);
  const pod = known.podOf(death.podUid) ?? {
    uids: [],
    namespace: undefined,
    name: undefined,
    node: death.node,
  };
  return found(pod, death, known, listNames(pod, known, index));
}

function noDeaths({ pods }: KnownContainers, deaths: readonly Death[], index: EvidenceIndex): DeathProblem {
  const known = pods.flatMap((one) => nameOf(one) ?? []);
  const says = ['the input knows of no container that died', ...describeStrays(deaths, index)].join('. ');
  return { kind: 'no-deaths', says, known };
}

/** What tells of a kill, and not of whose end it was. */
function describeStrays(deaths: readonly Death[], index: EvidenceIndex): string[] {
  const killed = deaths.find(({ what, containerId }) => what === 'process' && containerId === undefined);
  const [ref] = killed?.refs ?? [];
  if (ref !== undefined)
    return [
      `The kernel killed a process, and no line that was given says in which container it was (${placeOf(ref)}); the lines before it would`,
    ];
  const [chosen] = index.of('kernel-oom-context');
  if (chosen !== undefined)
    return [
      `The OOM killer of the kernel chose a process (${placeOf(chosen.ref)}), and its line "Killed process" was not given; the lines after it have it`,
    ];
  const [oom] = index.of('runtime-oom');
  return oom === undefined
    ? []
    : [
        `The runtime saw that the OOM killer took a process of container ${oom.containerId.slice(0, 12)} (${placeOf(oom.ref)}), which may have lived on; the state of its pod tells`,
      ];
}

/** Nothing says of an end: the only pod, and its only container, is asked about all the same. */
function findAlive(
  known: KnownContainers,
  index: EvidenceIndex,
  deaths: readonly Death[],
): FoundDeath | DeathProblem {
  const [pod, ...others] = known.pods;
  const names = pod === undefined ? [] : listNames(pod, known, index);
  if (pod === undefined || others.length > 0 || names.length > 1) return noDeaths(known, deaths, index);
  const [container = ''] = names;
  const containerId = newestOf(pod, container, known) ?? '';
  return { kind: 'found', pod, container, containerId, death: undefined };
}

function findOfPod(
  asked: AskedDeath,
  pod: KnownPod,
  deaths: readonly Death[],
  known: KnownContainers,
  index: EvidenceIndex,
): FoundDeath | DeathProblem {
  const names = listNames(pod, known, index);
  const isUnknown =
    asked.container !== undefined && !isId(asked.container) && !names.includes(asked.container);
  if (isUnknown && names.length > 0)
    return {
      kind: 'no-such-container',
      says: `${nameOf(pod) ?? asked.pod ?? ''} has no container ${asked.container ?? ''}`,
      known: names,
    };
  const own = deaths.filter(({ podUid }) => pod.uids.includes(podUid ?? ''));
  const ofContainer = selectFitting(own, { container: asked.container }, names);
  const fitting = selectFitting(own, asked, names);
  const [death, ...others] = fitting;
  if (others.length > 0) return several(fitting);
  if (death !== undefined) return found(pod, death, known, names);
  if (asked.attempt !== undefined)
    return {
      kind: 'no-such-attempt',
      says: `the input knows of no death of ${describeContainer({ ...EMPTY, namespace: pod.namespace, pod: pod.name, container: asked.container, attempt: asked.attempt })}`,
      known: ofContainer.map(describeContainer),
    };
  const name = asked.container ?? (names.length > 1 ? undefined : (names[0] ?? ''));
  if (name === undefined)
    return {
      kind: 'no-such-container',
      says: `no container of ${nameOf(pod) ?? ''} died; ask for one of them`,
      known: names,
    };
  const newest = newestOf(pod, name, known);
  return { kind: 'found', pod, container: name, containerId: newest ?? '', death: undefined };
}

function withNameAsked(pod: KnownPod, asked: string): KnownPod {
  const [, namespace, name] = /^(?:([^/]+)\/)?([^/]+)$/.exec(asked) ?? [];
  return { ...pod, namespace, name };
}

const EMPTY = { podUid: undefined, containerId: undefined };

function several(deaths: readonly Death[]): DeathProblem {
  return {
    kind: 'several-deaths',
    says: `${deaths.length} deaths fit: ask for one of them`,
    deaths,
  };
}

/** @param names of the containers of the pod: what has no name is of the only one. */
function found(pod: KnownPod, death: Death, known: KnownContainers, names: readonly string[]): FoundDeath {
  const container = death.container ?? (names.length === 1 ? names[0] : undefined) ?? '';
  // An end that the kubelet made up has no id: it means the newest. In a text for people no former container has one.
  const newest =
    death.reason === undefined || isMadeUpReason(death.reason) ? newestOf(pod, container, known) : '';
  const containerId = death.containerId ?? newest ?? '';
  return { kind: 'found', pod, container, containerId, death };
}

/** The deaths of a container: those that no record names only where none has its name, and the pod has no other one. */
function selectFitting(
  deaths: readonly Death[],
  { container, attempt }: AskedDeath,
  names: readonly string[],
): Death[] {
  const named = deaths.filter((death) => isCalled(death, container));
  const unnamed = names.length > 1 ? [] : deaths.filter((death) => death.container === undefined);
  const own = named.length > 0 ? named : unnamed;
  return own.filter((death) => attempt === undefined || death.attempt === attempt);
}

/** @param container its name, or the beginning of its id. */
function isCalled(death: Death, container: string | undefined): boolean {
  if (container === undefined || death.container === container) return true;
  return isId(container) && death.containerId?.startsWith(container) === true;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{12,64}$/.test(text);
}

/** The deaths of containers, and of processes whose container is not one of them. */
const leaveProcesses = deriveOnce((deaths: readonly Death[]): readonly Death[] => {
  const ended = new Set(
    deaths.flatMap(({ what, containerId }) => (what === 'container' ? (containerId ?? []) : [])),
  );
  return deaths.filter(({ what, containerId }) => what === 'container' || !ended.has(containerId ?? ''));
});

/** @param asked `<namespace>/<name>`, a name, or a uid. */
function findPods(asked: string, { pods }: KnownContainers): KnownPod[] {
  return pods.filter(
    ({ namespace, name, uids }) =>
      uids.includes(asked) ||
      name === asked ||
      (name !== undefined && namespace !== undefined && `${namespace}/${name}` === asked),
  );
}

function nameOf({ namespace, name }: KnownPod): string | undefined {
  return name === undefined ? undefined : [namespace, name].filter(Boolean).join('/');
}

function listNames(pod: KnownPod, { containers }: KnownContainers, index: EvidenceIndex): string[] {
  const told = index
    .of('pod-seen')
    .filter(({ uid }) => pod.uids.includes(uid))
    .flatMap((version) => version.containers.map(({ name }) => name));
  const made = [...containers.values()].flatMap((container) =>
    container.pod === pod ? (container.name ?? []) : [],
  );
  return [...new Set([...told, ...made])];
}

function newestOf(pod: KnownPod, name: string, { containers }: KnownContainers): string | undefined {
  return [...containers.values()]
    .filter((container) => container.pod === pod && container.name === name)
    .sort((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0))
    .at(-1)?.containerId;
}
