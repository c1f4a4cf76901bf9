import type { KubeletSaid } from '../../../model/evidence/observation.ts';
import type { EvidenceRef } from '../../../model/saved/formats.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { isEvicted, isEvictionEvent, isRankedFor, reasonOfEviction } from '../../records/eviction-lines.ts';
import { isAtLeast, isAtMost, isWithin, shift } from '../../records/times.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet } from '../coverage.ts';
import { lifeFrom } from './event-life.ts';
import type { StopRequest } from './stop-request.ts';
import { deriveOnce } from '../../records/derive-once.ts';

/** What the kubelet's log says of the eviction of a pod, where neither status nor event is left. */
interface EvictedByLog {
  /** That it is done. */
  readonly line: KubeletSaid;
  /** Why it began, and when; undefined for a limit of the pod's own, and where the log begins later. */
  readonly ranked: KubeletSaid | undefined;
  /** Of the resource that was short. */
  readonly short: KubeletSaid | undefined;
}

/** The kubelet says that a pod is evicted as soon as its containers have ended; the API may be slow. */
const SAID_AFTER_MS = 60_000;
/** A kill is given up after the grace period and half of it (killPodNow of pkg/kubelet/pod_workers.go). */
const RANKED_BEFORE_MS = 600_000;

const evictionsIn = deriveOnce((lines: readonly KubeletSaid[]) =>
  lines.filter(({ about }) => about === 'eviction'),
);

/** Finds the kubelet's line that it has evicted this pod, where it is about this end, and not about another pod of that name. */
export function findEvictedByLog(file: GatheredCase): EvictedByLog | undefined {
  const { index, node, pod, uids, end } = file;
  const lines = evictionsIn(index.of('kubelet-said')).filter((said) => said.node === node);
  const ofPod = lines.filter(
    (said) =>
      isEvicted(said) &&
      (said.podUid === undefined ? said.pod === `${pod.namespace}/${pod.name}` : uids.includes(said.podUid)),
  );
  const line = ofPod.find(
    (said) =>
      said.ref === end?.ref ||
      (said.at === undefined && end?.at === undefined
        ? isOnlyPodOfName(file)
        : isAtLeast(said.at, shift(lifeFrom(file), -CUT_MS), {
            unknown: 'does not',
            unknownLimit: 'counts',
          }) &&
          isWithin(said.at, shift(end?.at, -CUT_MS), shift(end?.at, SAID_AFTER_MS), { unknown: 'does not' })),
  );
  if (line === undefined) return undefined;
  const before = lines.slice(0, lines.indexOf(line));
  const ranked = before.findLast((said) => isRankedFor(said, line));
  // Of the pods that it ranks it evicts one, and looks again.
  const isOfIt =
    ranked !== undefined &&
    !before.slice(before.indexOf(ranked)).some(isEvicted) &&
    isAtMost(line.at, shift(ranked.at, RANKED_BEFORE_MS), { unknown: 'counts' });
  if (!isOfIt) return { line, ranked: undefined, short: undefined };
  const short = before
    .slice(0, before.indexOf(ranked))
    .findLast(({ message }) => message.includes('must evict pod'));
  return { line, ranked, short };
}

/** Whether the kubelet's log, in which nothing has a time, knows one pod of that name. */
function isOnlyPodOfName({ index, pod, uids }: GatheredCase): boolean {
  return index
    .of('kubelet-said')
    .every(
      (said) => said.pod !== `${pod.namespace}/${pod.name}` || uids.includes(said.podUid ?? uids[0] ?? ''),
    );
}

/** The kubelet's line or event about the eviction of the pod, where nothing else tells of the end. */
export function findOnlyWordOfEviction(file: GatheredCase): EvidenceRef | undefined {
  const { end, podEvents } = file;
  const event = podEvents.find((one) => isOfKubelet(one) && isEvictionEvent(one));
  return [findEvictedByLog(file)?.line, event].find((word) => word !== undefined && word.ref === end?.ref)
    ?.ref;
}

/** Only the kubelet's log is left of it: that it ranked the pods, and that it has evicted this one. */
export function findEvictionByLog(file: GatheredCase): StopRequest | undefined {
  const found = findEvictedByLog(file);
  if (found === undefined) return undefined;
  const { line, ranked, short } = found;
  const how = reasonOfEviction(short?.message ?? '');
  return {
    killer: 'kubelet-eviction',
    how,
    at: ranked?.at,
    scope: 'pod',
    refs: [short?.ref, ranked?.ref, line.ref],
  };
}
