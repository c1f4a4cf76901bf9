import type { KubeEvent } from '../../../model/evidence/observation.ts';
import { isOfController } from '../../records/controller-events.ts';
import { isEventOf } from '../../records/event-container.ts';
import type { GatheredCase } from '../case-file.ts';

/**
 * How often a container has ended at least, as events about it tell that nobody dates: it was started so often but for one, and the
 * kubelet waits before it starts it again only from the second end on (doBackOff of pkg/kubelet/kuberuntime/kuberuntime_manager.go).
 */
export function countEndsByEvents({ podEvents, record }: GatheredCase): number {
  const { container } = record.victim;
  const undated = podEvents.filter((event) => event.at === undefined);
  const starts = undated
    .filter((event) => event.reason === 'Started' && isStartOf(container, event))
    .reduce((sum, { count }) => sum + count, 0);
  const isBackingOff = undated.some(
    (event) =>
      event.reason === 'BackOff' &&
      /^Back-off restarting failed (?:docker )?container\b/i.test(event.message) &&
      isBackOffOf(container, event),
  );
  return Math.max(starts - 1, isBackingOff ? 2 : 0);
}

/** Whether an event says that this container was made or started; since 1.17 without a colon, up to 1.8 with its id only. */
function isStartOf(container: string, event: KubeEvent): boolean {
  const named = /^(?:Created|Started) container:? (\S+)$/.exec(event.message)?.[1];
  return isEventOf(container, event) && (named === undefined || named === container);
}

/** Since 1.26 it says of which container, and of which pod. */
function isBackOffOf(container: string, event: KubeEvent): boolean {
  const named = /failed container (\S+) in pod /.exec(event.message)?.[1];
  return isEventOf(container, event) && (named === undefined || named === container);
}

/** A container is started again at most so long after its end: the longest back-off, and a long grace before. */
const STARTED_AGAIN_MS = 600_000;

/**
 * Whether the same table says that the event is not about this end: the container was started long after the event was last written,
 * or the pod was made or scheduled after it, so that it is about an earlier pod of that name.
 */
export function isOfEarlierEnd(event: KubeEvent, file: GatheredCase): boolean {
  const { age, ref } = event;
  if (age === undefined) return false;
  const youngest = age.ms - age.grainMs;
  const isYounger = (other: KubeEvent, byMs: number): boolean =>
    other.ref.file === ref.file &&
    other.age !== undefined &&
    other.age.ms + other.age.grainMs < youngest - byMs;
  const isLaterLife = (other: KubeEvent): boolean =>
    other.reason === 'Scheduled'
      ? isYounger(other, 0)
      : ['Created', 'Started'].includes(other.reason) &&
        isStartOf(file.record.victim.container, other) &&
        isYounger(other, STARTED_AGAIN_MS);
  return (
    file.podEvents.some(isLaterLife) ||
    file.index
      .of('kube-event')
      .some((other) => isOfController(other, 'SuccessfulCreate', file.pod) && isYounger(other, 0))
  );
}
