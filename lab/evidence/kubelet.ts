import type { KubeletSaid, Lost } from '../model/evidence/observation.ts';
import { ALONE, readJournal, type JournalContext, type JournalEntry } from './journal.ts';
import { baseOf, type EvidenceText, type Where } from './lines.ts';
import { KLOG_CUT_HEAD, KLOG_HEAD } from '../model/evidence/log-heads.ts';

/** A line without structure, up to 1.20: what it says may be quoted in another one, so that it has to begin with it. */
const beginning = (said: string): RegExp => new RegExp(`^(?:${KLOG_HEAD}|${KLOG_CUT_HEAD})?${said}`);

/**
 * The kubelet's texts (docs/texts-of-kills.yaml says of which releases), and how verbose it must be to print them, where
 * all releases agree; the first that matches counts.
 */
const ABOUT: readonly (readonly [about: KubeletSaid['about'], text: RegExp, verbosity?: number])[] = [
  // It quotes the event (recordEvent of client-go/tools/record/event.go).
  ['event-lost', /(?:Unable to (?:write|construct)|Server rejected) event/],
  [
    'killing-container',
    /Killing container with a grace period override|Killing unwanted container for pod/,
    3,
  ],
  ['killing-container', beginning(String.raw`Killing unwanted container "[^"]+"\(id=`), 3],
  // Up to 1.20, with the id; up to 1.5, with the names behind it.
  [
    'killing-container',
    beginning(String.raw`Killing container "[^"]+" with (?:a )?\d+ second grace period`),
    2,
  ],
  [
    'killing-container',
    beginning(
      String.raw`Killing container (?:"[^"]+"|\{[^{}]+\}), but using (?:a )?\d+ second grace period override`,
    ),
  ],
  // Up to 1.20, where "Message for Container of pod" is since.
  [
    'killing-container',
    beginning(String.raw`Container "[^"]+" \(\{"[^"]+" "[0-9a-f]{64}"\}\) of pod \S+: `),
    2,
  ],
  ['killing-container', /Killing container with a grace period|Message for Container of pod/, 2],
  ['container-finished', /\(PLEG\): container finished" /, 2],
  ['pod-told', /Observed pod startup duration|"Error syncing pod, skipping"/, 0],
  // "No sandbox for pod can be found" is of the first sandbox of the pod (pkg/kubelet/kuberuntime/util/util.go).
  [
    'sandbox-changed',
    /No ready sandbox for pod can be found|Sandbox for pod has changed|Sandbox for pod has no IP address/,
    2,
  ],
  ['container-removed', /"RemoveContainer" containerID=/, 0],
  ['oom', /Got sys oom event|OOM/],
  [
    'eviction',
    /[Ee]viction manager: (?:attempting|must evict|pods ranked|pods? .*evicted)|evict(?:ed|ing) pod/,
  ],
  // V(3), then V(2).
  ['preemption', /"Preempting pod to free up resources"/],
  ['shutdown', /Shutdown manager killing pod with gracePeriod/, 1],
  // NewMainKubelet() and before; without quotes up to 1.20.
  ['started', /"Kubelet version"|Kubelet version: v/, 0],
  ['probe-failed', /"Probe failed"|failed liveness probe|failed startup probe/, 1],
];

/** Lines of the kubelet's main loop: most of its log. */
const SYNC_LOOP = 'SyncLoop';
const LOOP_VERBOSITY = 2;
/** pkg/kubelet/kubelet.go, syncLoopIteration(); the second form is that of releases up to 1.20. */
const CHANGED = /"SyncLoop (?:ADD|UPDATE|DELETE)" source=|SyncLoop \((?:ADD|UPDATE|DELETE), "/;
const REMOVED = /"SyncLoop REMOVE" source=|SyncLoop \(REMOVE, "/;

/** The uid of a static pod is the hash of its configuration, without dashes. */
const POD_UID = /(?:podU?ID="?|\bID"?:"?)([0-9a-f-]{36}|[0-9a-f]{32})(?![0-9a-f-])/;
/** One pod; a list of several names none of them. */
const POD = /\bpods?=(?:"|\["|\[)([\w.-]+\/[\w.-]+)(?:"\]|"|\])/;
const CONTAINER = /\bcontainerName="([\w.-]+)"/;

/** Reads what the kubelet logs about the ends of pods and containers, and that pods came and started. */
export function parseKubelet(
  content: EvidenceText,
  file: string,
  context: JournalContext = ALONE,
): (KubeletSaid | Lost)[] {
  const observations: (KubeletSaid | Lost)[] = [];
  for (const entry of readJournal(content, file, 'kubelet', (lost) => observations.push(lost), context)) {
    const said = readKubeletEntry(entry, file);
    if (said !== undefined) observations.push(said);
  }
  return observations;
}

/** What one line of the kubelet says; undefined when it is about something else. */
export function readKubeletEntry({ at, message, line }: JournalEntry, where: Where): KubeletSaid | undefined {
  const kind = kindOf(message);
  if (kind === undefined) return undefined;
  const { about, verbosity } = kind;
  return {
    kind: 'kubelet-said',
    ...baseOf('kubelet', at, where, line, message),
    about,
    verbosity,
    containerId: containerIdIn(message, about),
    podUid: POD_UID.exec(message)?.[1] ?? uidOfEvicted(message, about),
    pod: POD.exec(message)?.[1] ?? podOfOld(message),
    container: CONTAINER.exec(message)?.[1],
    exitCode: about === 'container-finished' ? exitCodeIn(message) : undefined,
    message,
  };
}

/** Up to 1.20: `SyncLoop (PLEG): "web-0_default(0aa5fe1a-…)"`, and `pod web-0_default(0aa5fe1a-…)`. */
const OLD_POD = /[" ]([a-z0-9][a-z0-9.-]*)_([a-z0-9][a-z0-9-]*)\([0-9a-f-]{32,36}\)/;

function podOfOld(message: string): string | undefined {
  const [, name, namespace] = OLD_POD.exec(message) ?? [];
  return name === undefined || namespace === undefined ? undefined : `${namespace}/${name}`;
}

/** In a sentence about one pod; a ranking has several. */
function uidOfEvicted(message: string, about: KubeletSaid['about']): string | undefined {
  if (about !== 'eviction' || !/ pod \S+ (?:is )?evicted /.test(message)) return undefined;
  return /\(([0-9a-f-]{32,36})\)/.exec(message)?.[1];
}

type Kind = Pick<KubeletSaid, 'about' | 'verbosity'>;

/**
 * What a structured line says, up to its first key (InfoS of klog). Its values quote others, such as the output of a probe,
 * which may hold the kubelet's own words.
 */
const SAID = new RegExp(String.raw`^(?:${KLOG_HEAD}|${KLOG_CUT_HEAD})?(?<said>"(?:[^"\\]|\\.)*"(?: \w+=|$))`);

function kindOf(message: string): Kind | undefined {
  const said = SAID.exec(message)?.groups?.['said'] ?? message;
  if (said.includes(SYNC_LOOP)) {
    const about = ofLoop(message);
    return about && { about, verbosity: LOOP_VERBOSITY };
  }
  const found = ABOUT.find(([, text]) => text.test(said));
  return found && { about: found[0], verbosity: found[2] };
}

function ofLoop(message: string): KubeletSaid['about'] | undefined {
  if (message.includes('(PLEG)')) {
    if (message.includes('ContainerDied')) return 'container-died';
    return message.includes('ContainerStarted') ? 'pod-told' : undefined;
  }
  if (REMOVED.test(message)) return 'pod-removed';
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
