import type { Attribution, Claim } from '../../model/saved/formats.ts';
import type { ContainerView, Lost, Observation, PodSeen } from '../../model/evidence/observation.ts';
import { compareKillCounts } from '../case/kill-counts.ts';
import type { CaseFile } from '../case/case-file.ts';
import { openCaseOf } from '../case/open-case.ts';
import type { Victim } from '../case/victim.ts';
import { deriveOnce } from '../records/derive-once.ts';
import { findEndOf, type ContainerEnd } from '../records/container-end.ts';
import { indexEvidence, withLost, type EvidenceIndex } from '../records/evidence-index.ts';
import { podWithoutState } from '../records/pod-without-state.ts';
import { drawUp } from '../verdict/draw-up.ts';
import { keepBelow, profileOf, type Profile } from './ceilings.ts';
import type { AskedDeath, Death, DeathProblem } from './death.ts';
import { findDeath, type FoundDeath } from './find-death.ts';
import type { KnownPod } from './known-containers.ts';
import { findMissingSources, UNNUMBERED } from './missing-sources.ts';
import { openInput, type OpenInput } from './open-input.ts';
import { describeOtherPanics } from './other-panics.ts';
import { describeMisreadClock, distrustTimes, mayHaveRebooted } from './other-times.ts';
import { readFacts, type ObservedFacts } from './read-facts.ts';
import { ofContainer } from '../records/of-container.ts';

/** What the judge says of one death that the lab did not stage. */
export interface DeathAnswer {
  readonly kind: 'answer';
  readonly attribution: Attribution;
  readonly claims: readonly Claim[];
  /** The death as the input lists it; undefined when it knows of no end of the container. */
  readonly death: Death | undefined;
  readonly pod: KnownPod;
  /** Empty where no record has its name. */
  readonly container: string;
  readonly profile: Profile;
  readonly facts: ObservedFacts;
  /** Why nothing is named, or what the kernel's books say; undefined when there is nothing to add. */
  readonly note: string | undefined;
  /** Panics in other boots of its node, which did not end it; undefined when none is known. */
  readonly otherPanic: string | undefined;
}

/**
 * Judges one death from nothing but observations: no cell, no expectation. Where the question fits no death, or several,
 * the answer is the problem.
 *
 * @param observations sorted by time, of any input. What is not in it counts as lost.
 */
export function judgeDeath(
  observations: readonly Observation[],
  asked: AskedDeath = {},
): DeathAnswer | DeathProblem {
  return judgeDeathIn(openInput(observations), asked);
}

/** The same of an input that was opened before: several questions about it index its records once. */
export function judgeDeathIn(
  { index, known, deaths, nodes, ofNode, ofCluster }: OpenInput,
  asked: AskedDeath,
): DeathAnswer | DeathProblem {
  const found = findDeath(asked, deaths, known, index);
  if (found.kind !== 'found') return found;
  const node = found.pod.node ?? found.death?.node;
  if (isOfWindows(index, found.pod, node))
    return { kind: 'windows', says: 'it ran on Windows: who kills containers there is not known here' };
  if (node === undefined || nodes.length === 0 || nodes.includes(node))
    return judgeFound(ofNode(node), found, node);
  const says = `it ran on ${node}, and the logs are of ${nodes.join(', ')}: of another node, or names and ids were replaced so that nothing joins`;
  if (found.death === undefined) return { kind: 'another-node', says, known: nodes };
  // What the API says of its end is said all the same.
  return { ...judgeFound(ofCluster(), found, node), note: says };
}

function isOfWindows(index: EvidenceIndex, { uids }: FoundDeath['pod'], node: string | undefined): boolean {
  return (
    index.of('pod-seen').some(({ uid, os }) => os === 'windows' && uids.includes(uid)) ||
    index.of('node-seen').some(({ name, os }) => os === 'windows' && name === node)
  );
}

function judgeFound(index: EvidenceIndex, found: FoundDeath, node: string | undefined): DeathAnswer {
  const victim = victimOf(index, found, node);
  const startedAt = victim.end?.startedAt ?? findStart(index, found, victim);
  const life = victim.end ?? { startedAt, at: undefined };
  const ended = { node, containerId: found.containerId, startedAt: life.startedAt, at: life.at };
  const facts = readFacts(index, found.pod);
  const record = { victim: { container: found.container }, ...windowOf(index, life.startedAt) };
  const open = (settled: EvidenceIndex): CaseFile => openCaseOf({ record, facts, victim }, settled);
  const given = withLost(index, [...findMissingSources(index, { node, startedAt }), ...index.of('lost')]);
  const trusted = distrustTimes(given, ended);
  const before = open(trusted);
  const { settled, note } = mayHaveRebooted(index, ended) ? AS_IT_IS : settleBooks(trusted, before);
  const file = settled === undefined ? before : open(settled);
  const drawn = drawUp(file);
  const profile = profileOf(index, node);
  const attribution = keepBelow(drawn.attribution, profile);
  return {
    kind: 'answer',
    attribution,
    claims: drawn.claims,
    death: found.death,
    pod: found.pod,
    container: found.container,
    profile,
    facts,
    note:
      note ??
      describeMisreadClock(index, ended) ??
      (attribution.killer === 'unknown' ? drawn.conclusion.note : undefined),
    otherPanic: describeOtherPanics(trusted, ended),
  };
}

/** When the container started, where no record of its end says so. */
function findStart(
  index: EvidenceIndex,
  { containerId }: FoundDeath,
  { versions }: Victim,
): number | undefined {
  const view = versions.at(-1)?.containers.find(({ id }) => id === containerId);
  return view?.startedAt ?? ofContainer(index.of('runtime-start'), containerId)[0]?.at;
}

/** The times of the first and of the last record; infinite where none has a time. */
const spanOf = deriveOnce((all: readonly Observation[]) => {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at } of all) {
    if (at === undefined || !Number.isFinite(at)) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  return { first, last };
});

/** From the start of the container to the newest record. */
function windowOf(
  { all }: EvidenceIndex,
  startedAt: number | undefined,
): { startedAt: string; endedAt: string } {
  const { first, last } = spanOf(all);
  const from = startedAt ?? (Number.isFinite(first) ? first : 0);
  return {
    startedAt: new Date(from).toISOString(),
    endedAt: new Date(Math.max(from, Number.isFinite(last) ? last : from)).toISOString(),
  };
}

function victimOf(index: EvidenceIndex, found: FoundDeath, node: string | undefined): Victim {
  const { pod, container, containerId } = found;
  const versions = index.of('pod-seen').filter(({ uid }) => pod.uids.includes(uid));
  const newest = versions.at(-1);
  return {
    versions,
    pod: newest ?? podOfNode(index, found, node),
    uids: pod.uids,
    containerId,
    end: findEndOf(versions, container, containerId, index) ?? endByKubelet(found),
  };
}

/** The end of a container of which only the kubelet tells, by its event or its log: it says no exit code there. */
function endByKubelet({ death, containerId }: FoundDeath): ContainerEnd | undefined {
  const [ref] = death?.refs ?? [];
  if (death === undefined || (ref?.source !== 'event' && ref?.source !== 'kubelet')) return undefined;
  const unknown = { exitCode: undefined, reason: undefined, startedAt: undefined };
  return { containerId, ...unknown, at: death.at, ref };
}

/** The pod as its node knows it, where the API said nothing of it. */
function podOfNode(index: EvidenceIndex, found: FoundDeath, node: string | undefined): PodSeen {
  const { pod, death } = found;
  const { uids, namespace = '', name } = pod;
  const [ref] = death?.refs ?? [];
  const [uid = ''] = uids;
  return podWithoutState({
    ref: ref ?? { source: 'kubelet', at: '', file: '', text: `pod ${name ?? uid}` },
    boot: ' 1',
    namespace,
    name: name ?? uid,
    uid,
    createdAt: undefined,
    node,
    containers: listRunning(index, found),
  });
}

/** The container as the runtime had it when everything was collected, if it ran. */
function listRunning(index: EvidenceIndex, { container, containerId, death }: FoundDeath): ContainerView[] {
  const running = ofContainer(index.of('runtime-record'), containerId).find(
    ({ state }) => state === 'CONTAINER_RUNNING',
  );
  const [start] = ofContainer(index.of('runtime-start'), containerId);
  if (running === undefined || containerId === '' || death?.what === 'container') return [];
  return [
    {
      name: container,
      role: 'main',
      id: containerId,
      state: 'running',
      reason: undefined,
      message: undefined,
      exitCode: undefined,
      signal: undefined,
      startedAt: start?.at,
      finishedAt: undefined,
      restartCount: 0,
      last: undefined,
    },
  ];
}

const KILL_LINES: readonly Observation['kind'][] = [
  'kernel-killed',
  'kernel-oom-context',
  'kernel-group-kill',
  'kernel-reaped',
];

/** What follows from the kernel's books. */
interface Settled {
  /** The evidence as it counts then; undefined where nothing of it changes. */
  readonly settled: EvidenceIndex | undefined;
  readonly note: string | undefined;
}

const AS_IT_IS: Settled = { settled: undefined, note: undefined };

/**
 * Holds the kernel's log against its own count of kills, and takes the consequence. Too few lines: some are lost. Too many:
 * somebody writes them in the kernel's name, and none counts. Equal: the log has every kill, whether its records have numbers
 * or not.
 */
function settleBooks(index: EvidenceIndex, file: CaseFile): Settled {
  const counts = compareKillCounts(file);
  const { node } = file;
  const lost = index.of('lost');
  const lose = (why: string, { ref, boot }: Pick<Lost, 'ref' | 'boot'>): Lost => ({
    kind: 'lost',
    source: 'kmsg',
    why,
    at: undefined,
    node,
    boot,
    ref,
  });
  switch (counts.state) {
    case 'unread':
      return AS_IT_IS;
    case 'equal': {
      const kept = lost.filter((loss) => loss.why !== UNNUMBERED || loss.node !== node);
      return { settled: withLost(index, kept), note: undefined };
    }
    case 'lines-missing': {
      const why = `the kernel counted ${counts.kills} OOM kills, and ${counts.missing} of them are not in its log`;
      return { settled: withLost(index, [lose(why, counts.last), ...lost]), note: why };
    }
    case 'too-many-lines': {
      const why = `void: the log has ${counts.extra} OOM kills more than the kernel counted, so somebody writes them in its name`;
      const isFalse = ({ kind, boot }: Observation): boolean =>
        KILL_LINES.includes(kind) && boot === counts.last.boot;
      const kept = index.all.filter((seen) => !isFalse(seen));
      return { settled: indexEvidence([lose(why, counts.last), ...kept]), note: why };
    }
  }
}
