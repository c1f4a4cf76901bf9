import { isOfPods, parseCgroupPath } from '../../model/evidence/cgroup-path.ts';
import type { KernelKilled, PodSeen, RuntimeEvent } from '../../model/evidence/observation.ts';
import type { EvidenceRef } from '../../model/saved/formats.ts';
import { placeOf } from '../../model/saved/place-of.ts';
import type { CaseFile } from '../case/case-file.ts';
import { isWhole, type Source } from '../case/coverage.ts';
import { compareKillCounts } from '../case/kill-counts.ts';
import type { SignalToContainer } from '../case/killing-signal.ts';
import { RUNC_STAGE } from '../case/has-run.ts';
import { mayBeOfUnseenFirst } from '../case/oom-target.ts';
import {
  findStops,
  findStopsOfUnknown,
  type ContainerReason,
  type KubeletStop,
} from '../case/requests/kubelet-stop.ts';
import { STRANGERS } from '../case/senders.ts';
import { EXIT_SIGKILL } from '../records/exit-codes.ts';
import { isNear, isWithin } from '../records/times.ts';
import { API_MS, FOLLOWS_MS } from '../records/tolerances.ts';
import type { LeftTrace } from './hypothesis.ts';
import { ofContainer } from '../records/of-container.ts';

/** The kernel's line of an OOM kill. */
export const KILL_LINE: LeftTrace = {
  sources: [['kmsg']],
  by: (file) => {
    const counts = compareKillCounts(file);
    return counts.state === 'equal'
      ? `the kernel counted ${counts.kills} OOM kills of its ${counts.of}, its log has as many lines, and none is about it`
      : 'the kernel log is whole and names no process of it';
  },
  wanted: 'the kernel log (dmesg) of its node, from its start to its end',
  isSeen: ({ oom }) => oom.kills.length > 0 || oom.counter !== undefined || oom.hints.length > 0,
  leftOpen: (file) => {
    const { oom, to } = file;
    const isUndated = oom.kills.some(
      ({ at, between }) =>
        at === undefined &&
        (between === undefined || (between.to >= to - FOLLOWS_MS && between.from <= to + API_MS)),
    );
    if (isUndated) return 'nothing tells when a record of it was written';
    return mayBeOfFirst(file)
      ? 'a process of it was killed right then, and nobody saw whether it was the first one'
      : undefined;
  },
  records: listOomRecords,
  findUnbound: (file) => [
    ...listOomRecords(file),
    ...findStrayKills(file).flatMap(({ comm, ref }) => (RUNC_STAGE.test(comm) ? [] : [ref])),
  ],
};

function listOomRecords({ oom }: CaseFile): EvidenceRef[] {
  return [...oom.kills, ...oom.hints].map(({ ref }) => ref).concat(oom.counter?.values.ref ?? []);
}

/**
 * Kills of which nothing tells that they were in another container: in a cgroup of the pod that nobody knows, as that of a sandbox is,
 * or right at the end in one that no line names.
 */
export function findStrayKills({ index, node, uids, oom, from, to, endedAt = to }: CaseFile): KernelKilled[] {
  const others = new Set(
    [
      ...index
        .of('pod-seen')
        .flatMap(({ containers }) => containers.flatMap(({ id, last }) => [id, last?.id])),
      ...index.of('runtime-created').map(({ containerId }) => containerId),
    ].filter(Boolean),
  );
  return index.of('kernel-killed').filter((kill) => {
    if (kill.node !== node || oom.kills.includes(kill)) return false;
    const cgroup = kill.context?.taskMemcg ?? kill.group?.cgroup;
    if (cgroup === undefined) return isNear(kill.at, endedAt, FOLLOWS_MS + API_MS, { unknown: 'counts' });
    return (
      isOfPods(cgroup, uids) &&
      !others.has(parseCgroupPath(cgroup).containerId) &&
      isWithin(kill.at, from - API_MS, endedAt + API_MS, { unknown: 'counts' })
    );
  });
}

/** Whether a kill that nobody traced was close to an end by SIGKILL. */
function mayBeOfFirst(file: CaseFile): boolean {
  const isUnseen = file.killingSignal === undefined && file.end?.exitCode === EXIT_SIGKILL;
  return isUnseen && file.oom.kills.some((kill) => mayBeOfUnseenFirst(kill, file));
}

/** A signal of a stranger in the trace. */
export const STRANGE_SIGNAL: LeftTrace = {
  sources: [['trace']],
  by: 'every signal of the node was traced, and none from outside hit it',
  wanted: 'a trace of signals (signal:signal_generate) on its node',
  isSeen: (file) => file.signals.some(isStrange),
  records: ({ signals }) => signals.filter(isStrange).map(({ sent }) => sent.ref),
};

function isStrange({ sender }: SignalToContainer): boolean {
  return STRANGERS.includes(sender) || sender === 'unseen';
}

/** A signal of its own in the trace. */
export const OWN_SIGNAL: LeftTrace = {
  sources: [['trace']],
  by: 'every signal of the node was traced, and none of its own ended it',
  wanted: 'a trace of signals (signal:signal_generate) on its node',
  isSeen: ({ signals }) => signals.some(({ sender }) => sender === 'container'),
  records: ({ signals }) =>
    signals.filter(({ sender }) => sender === 'container').map(({ sent }) => sent.ref),
};

/** What the kubelet says when it stops a container: its log and its events both have it, so each of them suffices. */
export const KUBELET_STOP: LeftTrace = {
  sources: [['kubelet'], ['events']],
  by: 'the kubelet was heard and tells of none',
  wanted: 'the log of the kubelet and its events at the time of the end',
  isSeen: (file) => findStops(file, file.to).length > 0,
  records: (file) => findStops(file, file.to).map(({ record }) => record.ref),
};

/**
 * That the kubelet stopped it and gave no reason, where nobody is known to have asked and nobody saw what ended the first process:
 * any reason may be behind it.
 *
 * @param tellers sources that would have the reason meant: when all of them are whole, it was another one. Undefined where none has.
 */
export function leftUnexplained(file: CaseFile, tellers?: readonly Source[]): string | undefined {
  const isTold = file.killingSignal !== undefined || file.first !== undefined;
  if (isTold || file.requests.cause !== undefined) return undefined;
  if (tellers !== undefined && isWhole(file, tellers)) return undefined;
  const [stop, ...others] = listStops(file);
  if (stop === undefined || [stop, ...others].some(({ reason }) => reason !== undefined)) return undefined;
  return `the kubelet stopped it and gave no reason (${placeOf(stop.record.ref)})`;
}

/** Stops by the kubelet for one of these reasons. */
export function findStopsFor(file: CaseFile, reasons: readonly ContainerReason[]): EvidenceRef[] {
  return listStops(file).flatMap(({ record, reason }) =>
    reason !== undefined && reasons.includes(reason) ? [record.ref] : [],
  );
}

function listStops(file: CaseFile): KubeletStop[] {
  return [...findStops(file, file.to), ...findStopsOfUnknown(file)];
}

/** A request in the log of the runtime. */
export const RUNTIME_REQUEST: LeftTrace = {
  sources: [['containerd']],
  by: 'the log of the runtime is whole and has none',
  wanted: 'the log of the runtime at the time of the end',
  isSeen: (file) => findOwnStops(file).length > 0,
  records: (file) => findOwnStops(file).map(({ ref }) => ref),
};

function findOwnStops({ index, containerId }: CaseFile): readonly RuntimeEvent[] {
  return ofContainer(index.of('runtime-stop'), containerId);
}

/** Something that the API keeps of the pod. */
export function inTheApi(by: string, shows: (version: PodSeen) => boolean): LeftTrace {
  const find = ({ versions, pod }: CaseFile): PodSeen | undefined =>
    versions.find((version) => version.uid === pod.uid && shows(version));
  return {
    sources: [['pods']],
    by,
    wanted: 'the pod as the API had it before its end',
    isSeen: (file) => find(file) !== undefined,
    records: (file) => [find(file)?.ref],
  };
}
