import type { KubeletSaid, Lost } from '../model/evidence/observation.ts';
import { ALONE, readJournal, type JournalContext } from './journal.ts';
import { baseOf, type EvidenceText } from './lines.ts';

/** The kubelet's texts (docs/texts-of-kills.yaml says of which releases); the first that matches counts. */
const ABOUT: readonly (readonly [KubeletSaid['about'], RegExp])[] = [
  // It quotes the event (recordEvent of client-go/tools/record/event.go).
  ['event-lost', /(?:Unable to (?:write|construct)|Server rejected) event/],
  [
    'killing-container',
    /Killing container with a grace period|Message for Container of pod|Killing unwanted pod/,
  ],
  ['container-finished', /\(PLEG\): container finished" /],
  ['pod-told', /Observed pod startup duration/],
  // Without "ready" it is the first sandbox of the pod (pkg/kubelet/kuberuntime/util/util.go).
  ['sandbox-changed', /No ready sandbox for pod can be found/],
  ['container-removed', /"RemoveContainer" containerID=/],
  ['oom', /Got sys oom event|OOM/],
  [
    'eviction',
    /[Ee]viction manager: (?:attempting|must evict|pod is evicted|pods .*evicted)|evict(?:ed|ing) pod/,
  ],
  ['shutdown', /Shutdown manager killing pod with gracePeriod/],
  ['probe-failed', /"Probe failed"|failed liveness probe|failed startup probe/],
];

/** Lines of the kubelet's main loop: most of its log. */
const SYNC_LOOP = 'SyncLoop';
/** pkg/kubelet/kubelet.go, syncLoopIteration(). */
const CHANGED = /"SyncLoop (?:ADD|UPDATE|DELETE)" source=/;

/** The uid of a static pod is the hash of its configuration, without dashes. */
const POD_UID = /(?:podU?ID="?|"ID":")([0-9a-f-]{36}|[0-9a-f]{32})(?![0-9a-f-])/;

/** Reads what the kubelet logs about the ends of pods and containers, and that pods came and started. */
export function parseKubelet(
  content: EvidenceText,
  file: string,
  context: JournalContext = ALONE,
): (KubeletSaid | Lost)[] {
  const observations: (KubeletSaid | Lost)[] = [];
  for (const entry of readJournal(content, file, 'kubelet', (lost) => observations.push(lost), context)) {
    const about = aboutOf(entry.message);
    if (about === undefined) continue;
    observations.push({
      kind: 'kubelet-said',
      ...baseOf('kubelet', entry.at, file, entry.line, entry.message),
      about,
      containerId: containerIdIn(entry.message, about),
      podUid: POD_UID.exec(entry.message)?.[1],
      exitCode: about === 'container-finished' ? exitCodeIn(entry.message) : undefined,
      message: entry.message,
    });
  }
  return observations;
}

function aboutOf(message: string): KubeletSaid['about'] | undefined {
  if (!message.includes(SYNC_LOOP)) return ABOUT.find(([, pattern]) => pattern.test(message))?.[0];
  if (message.includes('(PLEG)')) {
    if (message.includes('ContainerDied')) return 'container-died';
    return message.includes('ContainerStarted') ? 'pod-told' : undefined;
  }
  if (message.includes('"SyncLoop REMOVE" source=')) return 'pod-removed';
  return CHANGED.test(message) ? 'pod-told' : undefined;
}

function containerIdIn(message: string, about: KubeletSaid['about']): string | undefined {
  const pattern =
    about === 'container-died'
      ? /Data"?:"?([0-9a-f]{64})/
      : /[a-z][\w.+-]*:\/\/([0-9a-f]{64})|([0-9a-f]{64})/;
  return pattern.exec(message)?.slice(1).find(Boolean);
}

function exitCodeIn(message: string): number | undefined {
  const code = / exitCode=(-?\d+)/.exec(message)?.[1];
  return code === undefined ? undefined : Number(code);
}
