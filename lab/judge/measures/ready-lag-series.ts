import { groupBy } from '../../model/text/group-by.ts';
import type { PodSeen } from '../../model/evidence/observation.ts';
import type { CellCase } from '../case/case-file.ts';
import { describeGaps, findGaps } from '../case/coverage.ts';
import type { Point, Series } from './point.ts';
import { isAtLeast } from '../records/times.ts';

/**
 * How late the API said that a pod of the victim's node was ready, for each pod. The version that first has it has both ends.
 * `lastTransitionTime` is when the kubelet decided it, not when it sent it (updateLastTransitionTime of
 * pkg/kubelet/status/status_manager.go); the watch delivered that version when the API said it. The first is cut to whole
 * seconds, so a lag may be a second too long (CUT_MS); it is on the clock of the node, the second on that of the host
 * (CLOCKS_MS).
 */
export function readReadyLags(file: CellCase): Series {
  const pods = [...groupBy(listVersions(file), ({ uid }) => uid).values()].map(findLag);
  return {
    points: pods.flatMap((point) => point ?? []).toSorted((a, b) => a.at - b.at),
    missingUntil: (until) => {
      const late = pods.filter((point) => point === undefined || point.at > until).length;
      return late === 0
        ? describeGaps(findGaps(file, ['pods']))
        : `the API said of ${late} of ${pods.length} pods never, or too late, that they are ready`;
    },
  };
}

/** Versions of the pods that the victim's namespace got on its node while the cell ran, oldest first. */
function listVersions({ index, node, record }: CellCase): PodSeen[] {
  const { namespace } = record.victim;
  const startedAt = Date.parse(record.startedAt);
  return index
    .of('pod-seen')
    .filter(
      (pod) =>
        pod.namespace === namespace &&
        pod.node === node &&
        isAtLeast(pod.createdAt, startedAt, { unknown: 'does not' }),
    );
}

/** Undefined for a pod that the API never called ready. */
function findLag(versions: readonly PodSeen[]): Point | undefined {
  const first = versions.find(({ readyAt }) => readyAt !== undefined);
  if (first?.at === undefined || first.readyAt === undefined) return undefined;
  return { at: first.at, value: Math.max(0, first.at - first.readyAt) / 1000, ref: first.ref };
}
