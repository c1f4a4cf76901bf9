import type { KubeEvent, Lost, Observation } from '../../model/evidence/observation.ts';
import type { GatheredCase } from './case-file.ts';
import { coverageOf, witnessedFrom } from '../records/evidence-index.ts';
import { findSetClock } from './set-clock.ts';
import { findSilentRuntime } from './runtime-silence.ts';
import { mayHaveDropped } from './spam-filter.ts';
import { CLOCKS_MS } from '../../model/evidence/source-clocks.ts';
import { API_MS, CLEANUP_MS, EVENT_TTL_MS } from '../records/tolerances.ts';
import { isAtLeast, isAtMost, isWithin, shift } from '../records/times.ts';
import { largest, smallest } from '../../model/text/extremes.ts';

/** A source, as rules name it. The witness is two of them: `cgroup` and `trace`. */
export type Source =
  'kmsg' | 'cgroup' | 'trace' | 'containerd' | 'kubelet' | 'pods' | 'events' | 'system' | 'tasks' | 'nodes';

/** A time in the victim's life that a source does not cover. */
export interface Gap {
  readonly source: Source;
  /** The file that lacks something; undefined where the whole source was not given. */
  readonly file: string | undefined;
  /** `absent`: nothing of it was given; `lost`: something is missing or unreadable; `silent`: it should have said something. */
  readonly kind: 'absent' | 'lost' | 'silent';
  readonly why: string;
}

/** Lists where the given sources may have missed something, each with the reason. */
export function findGaps(file: GatheredCase, sources: readonly Source[]): Gap[] {
  const gaps = sources.flatMap((source) => gapsOf(file, source));
  const names = new Set<string>();
  return gaps.filter((gap) => {
    const name = describeGap(gap);
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** Every hypothesis asks for the same gaps. */
const known = new WeakMap<GatheredCase, Map<Source, readonly Gap[]>>();

function gapsOf(file: GatheredCase, source: Source): readonly Gap[] {
  const ofFile = known.get(file) ?? new Map<Source, readonly Gap[]>();
  known.set(file, ofFile);
  const gaps = ofFile.get(source) ?? findGapsOf(file, source);
  ofFile.set(source, gaps);
  return gaps;
}

function findGapsOf(file: GatheredCase, source: Source): Gap[] {
  const lost = file.index.of('lost').filter((loss) => touches(loss, source) && concerns(loss, file));
  // Of what was not given at all, nothing more is to be said.
  const isAbsent = ({ ref, at }: Lost): boolean => ref.file === '' && at === undefined;
  const silences = lost.some(isAbsent) ? [] : (SILENCES[source]?.(file) ?? []);
  return [
    ...lost.map((loss): Gap => {
      const kind = isAbsent(loss) ? 'absent' : 'lost';
      return { source, file: loss.ref.file === '' ? undefined : loss.ref.file, kind, why: loss.why };
    }),
    ...silences.map((why): Gap => ({ source, file: silentFile(source, file), kind: 'silent', why })),
  ];
}

/** Whether these sources missed nothing while the victim lived: what they do not say did not happen. */
export function isWhole(file: GatheredCase, sources: readonly Source[]): boolean {
  return findGaps(file, sources).length === 0;
}

/**
 * A source of the kubelet that is whole: each of the two has what it meant to stop, and what it ran; undefined when neither is. The
 * log of one that was started again may not have what the former one had decided.
 */
export function findHeardKubelet(file: GatheredCase): Source | undefined {
  const sources: readonly Source[] = isStartedAgain(file) ? ['events'] : ['kubelet', 'events'];
  return sources.find((source) => isWhole(file, [source]));
}

/**
 * Whether numbered records of its life are missing, of whatever source. Journals and the API's watch have no numbers: what
 * they do not say then proves nothing.
 */
export function isTorn(file: GatheredCase): boolean {
  return file.index.of('lost').some((lost) => lost.isHole === true && concerns(lost, file));
}

/** The gaps as one line for a reader; undefined when there are none. */
export function describeGaps(gaps: readonly Gap[]): string | undefined {
  return gaps.length === 0 ? undefined : gaps.map(describeGap).join('; ');
}

function describeGap({ file, why }: Gap): string {
  return file === undefined ? why : `${file}: ${why}`;
}

/** Only a cell of the lab has a file of a known name for each source. */
function silentFile(source: Source, { record }: GatheredCase): string | undefined {
  return record.expected === undefined ? undefined : (FILES[source] ?? source);
}

const FILES: Partial<Record<Source, string>> = {
  kubelet: 'kubelet.jsonl',
  events: 'events.jsonl',
  pods: 'pods.jsonl',
  nodes: 'nodes.jsonl',
};

/**
 * Sources whose silence proves nothing by itself. They must have said something about this very pod, or something from
 * before and after its life; then what they do not say did not happen.
 */
const SILENCES: Partial<Record<Source, (file: GatheredCase) => string[]>> = {
  trace: (file) => [...findLateWitness(file), ...findEarlyStop(file)],
  cgroup: findEarlyStop,
  kubelet: (file) => [...findSilentKubelet(file), ...findSetClock(file)],
  events: (file) => [...findSilentEvents(file), ...findSetClock(file)],
  containerd: (file) => [...findSilentRuntime(file), ...findSetClock(file)],
  nodes: findSilentNodes,
  pods: (file) =>
    isEndMisdated(file) ? ['it dates the end before the trace has it: their clocks differ'] : [],
};

/** Nobody is asked for the nodes by name: where its own was not seen before the end, nothing says which boot it was. */
function findSilentNodes({ index, node, endedAt, to }: GatheredCase): string[] {
  const isSeen = index
    .of('node-seen')
    .some(({ name, at }) => name === node && isAtMost(at, endedAt ?? to, { unknown: 'does not' }));
  return isSeen ? [] : ['nothing tells in which boot of its node it ended'];
}

/**
 * Whether the reported end is older than the process that ended, so that their times cannot be compared. A runtime that lost
 * the shim reports the end first, and then kills what is left.
 */
export function isEndMisdated({ end, first, initExit, shimKills }: GatheredCase): boolean {
  if (shimKills.length > 0) return false;
  return isAtMost(shift(end?.at, API_MS), initExit?.at ?? first?.from, {
    unknown: 'does not',
    unknownLimit: 'does not',
  });
}

/** A witness that began late may have missed a signal. */
function findLateWitness(file: GatheredCase): string[] {
  const startedAt = file.end?.startedAt ?? file.view?.startedAt;
  const from = witnessedFrom(file.index, file.first?.boot);
  if (startedAt === undefined || from === undefined) return [];
  return from > startedAt + API_MS ? ['the witness began after the container had started'] : [];
}

/** A witness that was stopped before the container ended may have missed what ended it. */
function findEarlyStop({ index, node, endedAt }: GatheredCase): string[] {
  const times = coverageOf(index, 'witness', node).flatMap(({ to }) => to ?? []);
  if (endedAt === undefined || times.length === 0) return [];
  return largest(times) < endedAt - API_MS ? ['the witness was stopped before the container ended'] : [];
}

/** The kubelet must have said that the container ended, if it did: journals lose lines in between as well. */
function findSilentKubelet(file: GatheredCase): string[] {
  const late = findLateKubelet(file);
  if (late.length > 0) return late;
  const own = `"${file.pod.namespace}/${file.pod.name}"`;
  const lines = file.index
    .of('kubelet-said')
    .filter(
      (line) =>
        line.node === file.node &&
        isWithinLife(line, file) &&
        (line.containerId === file.containerId ||
          file.uids.includes(line.podUid ?? '') ||
          line.message.includes(own)),
    );
  if (file.endedAt === undefined ? lines.length > 0 : toldOfEnd(file, file.endedAt))
    return isTalkative(file) ? [] : ['the kubelet prints too little to say why it stops a container'];
  return lines.length === 0
    ? ['the kubelet said nothing about this pod: its log may be filtered or lost']
    : ['the kubelet said nothing about the end of this container: a part of its log may be lost'];
}

/** A log that was rotated, or is read from later on, may have had the reason for its stop. */
function findLateKubelet(file: GatheredCase): string[] {
  const startedAt = file.end?.startedAt ?? file.view?.startedAt;
  const froms = coverageOf(file.index, 'kubelet', file.node).flatMap(({ from }) => from ?? []);
  if (startedAt === undefined || froms.length === 0) return [];
  const since = Math.max(startedAt, Date.parse(file.record.startedAt));
  return smallest(froms) > since + API_MS
    ? ['the log of the kubelet begins after the container had started']
    : [];
}

/** Whether the kubelet said that this very container died, or that it removed it. */
function toldOfEnd({ kubeletLines, containerId }: GatheredCase, endedAt: number): boolean {
  return kubeletLines.some(
    (line) =>
      line.containerId === containerId &&
      (line.about === 'container-died' ||
        line.about === 'container-finished' ||
        line.about === 'container-removed' ||
        isAtLeast(line.at, endedAt - API_MS, { unknown: 'does not' })),
  );
}

/** How verbose a kubelet has to be to say that it stops a container, and why (kuberuntime_container.go). */
const SAYS_WHY = 2;

/**
 * Whether the kubelet printed, at the time of the end or later, a line that is no less verbose than those which say why it
 * stops a container. At `-v=0` it still says that it removed one.
 */
function isTalkative(file: GatheredCase): boolean {
  const since = file.endedAt === undefined ? file.from : (file.decidedAt ?? file.endedAt);
  return file.index
    .of('kubelet-said')
    .some(
      (line) =>
        line.node === file.node &&
        (line.verbosity ?? 0) >= SAYS_WHY &&
        isWithin(line.at, since - API_MS, file.to + CLEANUP_MS, { unknown: 'counts' }),
    );
}

/** Whether another kubelet began while the container lived, or right after: it does not know what the former one had decided. */
function isStartedAgain({ index, node, from, to }: GatheredCase): boolean {
  return index
    .of('kubelet-said')
    .some(
      (line) =>
        line.node === node &&
        line.about === 'started' &&
        isWithin(line.at, from, to + CLEANUP_MS, { unknown: 'does not' }),
    );
}

/**
 * The kubelet writes `Killing` before it stops a container. When an older event of it about this pod is there, a
 * missing `Killing` means that it did not stop it.
 */
function findSilentEvents(file: GatheredCase): string[] {
  const own = ownEvents(file);
  if (hasLostEvent(file)) return ['the kubelet could not write an event about this pod, as its log says'];
  const until = file.endedAt ?? file.to;
  const heard = own.some((event) =>
    isAtMost(event.firstAt ?? event.at, (file.decidedAt ?? until) + CLOCKS_MS, { unknown: 'does not' }),
  );
  if (!heard)
    return ['no event of the kubelet about this pod was seen: they may have been dropped or have expired'];
  if (own.some((event) => /\(combined from similar events\)/.test(event.message)))
    return ['events of the kubelet about this pod were combined: others may be hidden'];
  if (mayHaveDropped(own, until))
    return ['so many events about this pod were written that the client may have dropped some'];
  const late = own.every(
    (event) => event.deliveredAt !== undefined && event.deliveredAt - until > EVENT_TTL_MS,
  );
  return late ? ['the events were read more than an hour after the end: some had expired'] : [];
}

/** Whether the kubelet's log quotes an event about the pod that the API refused. */
function hasLostEvent(file: GatheredCase): boolean {
  const { name, namespace } = file.pod;
  return file.index
    .of('kubelet-said')
    .some(
      (line) =>
        line.about === 'event-lost' &&
        line.node === file.node &&
        isWithinLife(line, file) &&
        line.message.includes(`ObjectMeta:{${name}.`) &&
        line.message.includes(` ${namespace} `),
    );
}

/** Events that the kubelet wrote about the judged pod. */
function ownEvents(file: GatheredCase): KubeEvent[] {
  return file.podEvents.filter((event) => isOfKubelet(event));
}

/** Whether the kubelet wrote an event; operators use the same reasons. */
export function isOfKubelet(event: KubeEvent): boolean {
  return event.component === 'kubelet';
}

function isWithinLife(observation: Observation, file: GatheredCase): boolean {
  return isWithin(observation.at, file.from - CLOCKS_MS, file.to + CLOCKS_MS, { unknown: 'counts' });
}

function touches(lost: Lost, source: Source): boolean {
  if (lost.source !== 'witness') return source === lost.source;
  const part = lost.ref.source;
  if (part === 'trace' || part === 'cgroup') return source === part;
  return source === 'trace' || source === 'cgroup';
}

function concerns(lost: Lost, file: GatheredCase): boolean {
  if (lost.node !== undefined && file.node !== undefined && lost.node !== file.node) return false;
  if (lost.at === undefined) return true;
  // A gap may begin before the victim's life and end after it.
  return (lost.until ?? lost.at) >= file.from && lost.at <= file.to;
}
