import { groupBy } from '../../model/text/group-by.ts';
import type { KubeletSaid } from '../../model/evidence/observation.ts';
import { deriveOnce } from './derive-once.ts';
import type { EvidenceIndex } from './evidence-index.ts';

/** Where each line is in their order, by the container that it names, else by its pod. */
const placesByName = deriveOnce((lines: readonly KubeletSaid[]) =>
  groupBy([...lines.keys()], (place) => {
    const { containerId, podUid = '' } = lines[place] ?? {};
    return containerId === undefined ? `pod ${podUid}` : `container ${containerId}`;
  }),
);

/** Lines of the kubelet about a container, and about its pod as a whole, in their order. */
export function kubeletLinesOf(
  index: EvidenceIndex,
  containerId: string,
  uids: readonly string[],
): KubeletSaid[] {
  const lines = index.of('kubelet-said');
  const places = placesByName(lines);
  const names = new Set([`container ${containerId}`, ...uids.map((uid) => `pod ${uid}`)]);
  return [...names]
    .flatMap((name) => places.get(name) ?? [])
    .sort((one, other) => one - other)
    .flatMap((place) => lines[place] ?? []);
}

/** What the main loop of the kubelet does with a pod; up to 1.20 in brackets. */
const LOOP = /SyncLoop \(?(ADD|DELETE|REMOVE)\b/;

/** Lines in which the kubelet says that it heard of a pod, with what it heard. */
export const loopLinesOf = deriveOnce((lines: readonly KubeletSaid[]) =>
  lines.flatMap((line) => {
    const what = LOOP.exec(line.message)?.[1];
    return what === undefined ? [] : [{ line, what }];
  }),
);
