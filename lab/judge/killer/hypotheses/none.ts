import type { EvidenceRef } from '../../../model/saved/formats.ts';
import { formatSeconds } from '../../../model/text/format-duration.ts';
import type { CgroupValues, RuntimeEvent } from '../../../model/evidence/observation.ts';
import type { CaseFile } from '../../case/case-file.ts';
import { type Conclusion } from '../conclusion.ts';
import type { Hypothesis } from '../hypothesis.ts';
import { isWhole, type Source } from '../../case/coverage.ts';
import { listRuntimeEvents } from '../../case/end-words.ts';
import { limitRefs } from '../../case/pod-memory.ts';
import { STRANGERS } from '../../case/senders.ts';
import { CLOCKS_MS } from '../../../model/evidence/source-clocks.ts';
import { coverageOf } from '../../records/evidence-index.ts';
import { ALIVE_MS, CLEANUP_MS, FOLLOWS_MS } from '../../records/tolerances.ts';
import { findAskedAt, hasWordOfEnd } from '../../case/word-of-end.ts';
import { isAfter, isAtLeast, isAtMost, latest, shift } from '../../records/times.ts';

const DECISIVE: readonly Source[] = ['kmsg', 'cgroup', 'trace', 'pods'];
/** The most that it used: a survivor that never allocated proves little. v2 (since kernel 5.19), v1. */
const PEAKS = ['memory.peak', 'memory.max_usage_in_bytes'];

/**
 * Nobody: the container still runs, was never restarted, and was watched for the promised time. The API calls a dead
 * container running until a kubelet says otherwise. So there must be a sign of life after the last thing that may have
 * ended it: from its cgroup, from the runtime, or from a kubelet that was heard.
 */
const hearSurvival = (file: CaseFile): Conclusion | undefined => {
  const { view, end, pod } = file;
  if (end !== undefined || view?.state !== 'running' || view.restartCount > 0) return undefined;
  // The trace, the runtime and the kubelet's own log know of a death before the API does.
  const mayBeAsked = file.record.expected?.survives === 'stop';
  if (file.initExit !== undefined || hasWordOfEnd(file, mayBeAsked)) return undefined;
  if (pod.type === 'DELETED' || view.startedAt === undefined) return undefined;
  const askedAt = mayBeAsked ? findAskedAt(file) : undefined;
  const since = askedAt ?? view.startedAt;
  const watchedMs = Date.parse(file.record.endedAt) - since;
  const { survivesSeconds, withinSeconds } = file.record.expected ?? {};
  const neededMs = (survivesSeconds ?? withinSeconds ?? 0) * 1000;
  const counter = lastReading(file, (reading) => reading.values.oom_kill !== undefined);
  const peak = lastReading(file, (reading) => PEAKS.includes(reading.file));
  const hostileAt = latest([lastHostile(file), askedAt]);
  // The runtime removes the cgroup of a dead container at once: a late reading means that it was still alive.
  const readLate = counter?.at !== undefined && counter.at - since >= neededMs;
  const promisedAt = since + Math.max(neededMs, FOLLOWS_MS + ALIVE_MS);
  const sign = findSign(file, { kept: readLate && neededMs > 0, promisedAt, counter, hostileAt });
  const steps = { end: [file.viewRef, counter?.ref, sign, peak?.ref, ...limitRefs(file)] };
  const base = { steps, decisive: DECISIVE };
  if (watchedMs < neededMs) {
    const note = `watched for ${formatSeconds(watchedMs, 1)} of ${formatSeconds(neededMs, 1)}`;
    return { ...base, killer: 'unknown', note };
  }
  const reported = listRuntimeEvents(file).find((event) => event.kind === 'runtime-oom');
  if (reported !== undefined && !isDisproved(file, reported, counter)) {
    const note = 'the runtime told of an OOM kill in it, and nothing that was saved names the process';
    const open = [{ what: 'an OOM kill of a child', why: note, wanted: 'the kernel log' }];
    return { ...base, steps: { ...steps, cause: [reported.ref] }, killer: 'unknown', note, open };
  }
  if (sign === undefined) {
    const note = 'no sign of life: the API calls a container running until somebody tells it otherwise';
    const open = [
      {
        what: 'an end that the API has not heard of',
        why: note,
        wanted: 'a later word of its cgroup, runtime or kubelet',
      },
    ];
    return { ...base, killer: 'unknown', note, open };
  }
  const doubts = readLate ? [] : ['its counters were not read again after the promised time'];
  return { ...base, killer: 'none', doubts };
};

/**
 * Whether nothing was killed although the runtime reported an OOM. containerd listens on cgroup v1 to a cgroup that is
 * at its limit (`memory.oom_control`), whether or not a kill follows: none does where the kill is disabled.
 */
function isDisproved(file: CaseFile, reported: RuntimeEvent, counter: CgroupValues | undefined): boolean {
  if (isWhole(file, ['kmsg'])) return true;
  return (
    counter?.values.oom_kill === '0' &&
    isAfter(counter.at, shift(reported.at, CLOCKS_MS), { unknown: 'does not' })
  );
}

/** The last time at which something may have ended it. */
function lastHostile(file: CaseFile): number | undefined {
  const { index, node, signals, sandbox, bootEnded, oom } = file;
  return latest([
    ...index
      .of('runtime-restarted')
      .filter((restart) => restart.node === node)
      .map((restart) => restart.at),
    ...signals.filter((signal) => STRANGERS.includes(signal.sender)).map((signal) => signal.sent.at),
    ...index
      .of('kernel-killed')
      .filter((kill) => kill.node === node && oom.kills.includes(kill))
      .map((kill) => kill.at),
    sandbox?.exit?.at,
    bootEnded?.nextAt,
  ]);
}

interface Lived {
  /** Whether it did for as long as was promised. */
  readonly kept: boolean;
  /** Until when it had to live, milliseconds since the epoch. */
  readonly promisedAt: number;
  readonly counter: CgroupValues | undefined;
  readonly hostileAt: number | undefined;
}

/** What shows that it lived on after the last thing that may have ended it. */
function findSign(file: CaseFile, { kept, promisedAt, counter, hostileAt }: Lived): EvidenceRef | undefined {
  // With a trace that goes on to the end, nothing happened that it did not see; else a reading has to be late for something.
  const isWatched = kept || hostileAt !== undefined || isWhole(file, ['trace']);
  if (
    isWatched &&
    counter !== undefined &&
    isAfter(counter.at, hostileAt, { unknown: 'does not', unknownLimit: 'counts' })
  )
    return counter.ref;
  const running = file.index
    .of('runtime-record')
    .find((status) => status.containerId === file.containerId && status.state === 'CONTAINER_RUNNING');
  // The lab asks the runtime when the cell is over.
  if (running !== undefined) return running.ref;
  const later = file.versions.findLast(
    (pod) =>
      pod.uid === file.pod.uid &&
      isAfter(pod.at, shift(hostileAt, CLEANUP_MS), { unknown: 'does not', unknownLimit: 'counts' }) &&
      pod.containers.some((view) => view.id === file.containerId && view.state === 'running'),
  );
  // The lab asks for what it deployed. Of any other cluster the API may be old news.
  if (file.record.expected === undefined && (hostileAt !== undefined || !isHeardLater(file)))
    return undefined;
  if (hostileAt !== undefined) return later?.ref;
  // Sources that would know say nothing hostile, and went on: a node that is a container may have gone with all that is in it.
  const isHeard = (['kubelet', 'containerd'] as const).some(
    (source) =>
      isWhole(file, [source]) &&
      coverageOf(file.index, source, file.node).some(({ to }) =>
        isAtLeast(to, promisedAt, { unknown: 'does not' }),
      ),
  );
  const isWatchedOn =
    isWhole(file, ['trace']) && (isWhole(file, ['kubelet']) || isWhole(file, ['containerd']));
  return (isHeard || isWatchedOn) && isWhole(file, ['kmsg']) ? file.viewRef : undefined;
}

/**
 * Whether both who look after a container all the time, its runtime and its kubelet, spoke of other things some time after
 * the API had it running: each tells of an end within a second or two.
 */
function isHeardLater(file: CaseFile): boolean {
  const { index, node, pod } = file;
  if (!isWhole(file, ['containerd', 'kubelet'])) return false;
  return (['containerd', 'kubelet'] as const).every((source) =>
    coverageOf(index, source, node).some(({ to }) =>
      isAtLeast(to, shift(pod.at, FOLLOWS_MS + ALIVE_MS), { unknown: 'does not' }),
    ),
  );
}

/** The newest reading of the cgroup that holds the container, or its sandbox. The cgroups above it outlive both. */
function lastReading(file: CaseFile, wanted: (values: CgroupValues) => boolean): CgroupValues | undefined {
  const until = Date.parse(file.record.endedAt) + CLOCKS_MS + CLEANUP_MS;
  return file.index
    .of('cgroup-values')
    .findLast(
      (reading) =>
        file.containerId !== '' &&
        isAtMost(reading.at, until, { unknown: 'counts' }) &&
        (file.cgroups.sandboxed ? reading.path === file.init?.cgroup : file.cgroups.holds(reading.path)) &&
        wanted(reading),
    );
}

/** Nobody ended it. */
export const SURVIVAL: Hypothesis = {
  what: 'that it lives',
  killers: ['none'],
  acts: ['lives'],
  left: {
    sources: [],
    by: '',
    wanted: 'a later word of its cgroup, runtime or kubelet',
    records: recordsOfEnd,
    isSeen: (file) => file.end !== undefined || file.initExit !== undefined || file.oom.kills.length > 0,
  },
  against: ({ oom, view, end, initExit }) => {
    if (oom.kills.length > 0) return 'the OOM killer took a process of it';
    // Where the API said nothing of it, and nobody else of an end, nothing tells whether it runs.
    if (view === undefined && end === undefined && initExit === undefined) return undefined;
    return view?.state === 'running' && view.restartCount === 0 ? undefined : 'it does not run any more';
  },
  recordsAgainst: recordsOfEnd,
  hear: hearSurvival,
};

function recordsOfEnd({ oom, end, initExit, viewRef }: CaseFile): (EvidenceRef | undefined)[] {
  const records = [oom.kills[0]?.ref, initExit?.ref, end?.ref];
  return records.some((ref) => ref !== undefined) ? records : [viewRef];
}
