import type { PodSeen, RuntimeEvent } from '../../model/evidence/observation.ts';
import type { CaseFile } from '../case/case-file.ts';
import { compareKillCounts } from '../case/kill-counts.ts';
import type { SignalToContainer } from '../case/killing-signal.ts';
import { mayBeOfUnseenFirst } from '../case/oom-target.ts';
import { findStops } from '../case/requests/kubelet-stop.ts';
import { STRANGERS } from '../case/senders.ts';
import { EXIT_SIGKILL } from '../records/exit-codes.ts';
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
  records: ({ oom }) =>
    [...oom.kills, ...oom.hints].map(({ ref }) => ref).concat(oom.counter?.values.ref ?? []),
};

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
