import type { KubeletSaid, Lost } from '../model/observation.ts';
import { readJournal } from './journal.ts';
import { ignoreCovered, baseOf, type EvidenceText, type OnCovered } from './lines.ts';

/** Texts of kubelet 1.22 to 1.34; the first that matches counts. */
const ABOUT: readonly (readonly [KubeletSaid['about'], RegExp])[] = [
  [
    'killing-container',
    /Killing container with a grace period|Message for Container of pod|Killing unwanted pod/,
  ],
  ['pod-removed', /"SyncLoop REMOVE" source=/],
  [
    'pod-told',
    /"SyncLoop (?:ADD|UPDATE|DELETE)" source=|SyncLoop \(PLEG\).*ContainerStarted|Observed pod startup duration/,
  ],
  ['container-died', /SyncLoop \(PLEG\).*ContainerDied/],
  // The first sandbox of a pod is announced without "ready" (pkg/kubelet/kuberuntime/util/util.go).
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

/** A static pod has the hash of its configuration for a uid, without any dash. */
const POD_UID = /(?:podUID="?|"ID":")([0-9a-f-]{36}|[0-9a-f]{32})(?![0-9a-f-])/;

/** Reads what kubelet's journal says about killing containers, and that containers died. Other lines are left out. */
export function parseKubelet(
  content: EvidenceText,
  file: string,
  onCovered: OnCovered = ignoreCovered,
): (KubeletSaid | Lost)[] {
  const observations: (KubeletSaid | Lost)[] = [];
  for (const entry of readJournal(content, file, 'kubelet', (lost) => observations.push(lost), onCovered)) {
    const about = ABOUT.find(([, pattern]) => pattern.test(entry.message))?.[0];
    if (about === undefined) continue;
    observations.push({
      kind: 'kubelet-said',
      ...baseOf('kubelet', entry.at, file, entry.line, entry.message),
      about,
      containerId: containerIdIn(entry.message, about),
      podUid: POD_UID.exec(entry.message)?.[1],
      message: entry.message,
    });
  }
  return observations;
}

function containerIdIn(message: string, about: KubeletSaid['about']): string | undefined {
  const pattern =
    about === 'container-died'
      ? /Data"?:"?([0-9a-f]{64})/
      : /[a-z][\w.+-]*:\/\/([0-9a-f]{64})|([0-9a-f]{64})/;
  return pattern.exec(message)?.slice(1).find(Boolean);
}
