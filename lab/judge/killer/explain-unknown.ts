import type { Attribution, OpenCause, RuledOut } from '../../model/saved/formats.ts';
import { compareKillCounts } from '../case/kill-counts.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { Conclusion } from './rules/conclusion.ts';
import { describeGaps, findGaps, type Source } from '../case/coverage.ts';
import { STRANGERS } from '../case/senders.ts';

/** A cause, the sources that would have shown it, and whether they do. */
interface Suspect {
  readonly what: string;
  readonly sources: readonly Source[];
  readonly by: string;
  readonly wanted: string;
  readonly isSeen: (file: CaseFile) => boolean;
}

const SUSPECTS: readonly Suspect[] = [
  {
    what: 'an OOM kill of its first process',
    sources: ['kmsg'],
    by: 'the kernel log is whole and names no process of it',
    wanted: 'the kernel log (dmesg) of its node, from its start to its end',
    isSeen: ({ oom }) => oom.kills.length > 0 || oom.counter !== undefined || oom.hints.length > 0,
  },
  {
    what: 'a signal from outside',
    sources: ['trace'],
    by: 'every signal of the node was traced, and none from outside hit it',
    wanted: 'a trace of signals (signal:signal_generate) on its node',
    isSeen: ({ signals }) =>
      signals.some((signal) => STRANGERS.includes(signal.sender) || signal.sender === 'unseen'),
  },
  {
    what: 'a stop by the kubelet',
    sources: ['kubelet', 'events'],
    by: 'log and events of the kubelet are whole and tell of none',
    wanted: 'the log of the kubelet and its events at the time of the end',
    isSeen: ({ podEvents, kubeletLines }) =>
      podEvents.some((event) => event.reason === 'Killing') ||
      kubeletLines.some((line) => line.about === 'killing-container'),
  },
  {
    what: 'a deletion of the pod',
    sources: ['pods'],
    by: 'the API had not been asked to delete it',
    wanted: 'the pod as the API had it before its end',
    isSeen: ({ versions, pod }) =>
      versions.some((version) => version.uid === pod.uid && version.deletionAt !== undefined),
  },
  {
    what: 'a request at the runtime',
    sources: ['containerd'],
    by: 'the log of the runtime is whole and has none',
    wanted: 'the log of the runtime at the time of the end',
    isSeen: ({ index, containerId }) =>
      index.of('runtime-stop').some((event) => event.containerId === containerId),
  },
];

/** Says of an unknown killer what is excluded and by what, what is not, and what would have decided it. */
export function explainUnknown(
  file: CaseFile,
  conclusion: Conclusion,
): Pick<Attribution, 'excluded' | 'open'> {
  const excluded: RuledOut[] = [...(conclusion.excluded ?? [])];
  const open: OpenCause[] = [...(conclusion.open ?? [])];
  for (const { what, sources, by, wanted, isSeen } of SUSPECTS) {
    if (isSeen(file)) continue;
    const gaps = describeGaps(findGaps(file, sources));
    if (gaps === undefined) excluded.push({ what, by: killCountsToo(file, what) ?? by });
    else open.push({ what, why: gaps, wanted });
  }
  return { excluded, open };
}

function killCountsToo(file: CaseFile, what: string): string | undefined {
  const counts = compareKillCounts(file);
  if (!what.startsWith('an OOM kill') || counts.state !== 'equal') return undefined;
  return `the kernel counted ${counts.kills} OOM kills of its node, its log has as many lines, and none is about it`;
}
