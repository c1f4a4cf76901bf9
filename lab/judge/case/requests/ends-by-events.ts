import type { KubeEvent } from '../../../model/evidence/observation.ts';
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
 * Whether the same table says that the container was started long after the event was last written: it ended once more, and the
 * event is not about that end.
 */
export function isOfEarlierEnd({ age, ref }: KubeEvent, { podEvents, record }: GatheredCase): boolean {
  if (age === undefined) return false;
  const youngest = age.ms - age.grainMs - STARTED_AGAIN_MS;
  return podEvents.some(
    (event) =>
      ['Created', 'Started'].includes(event.reason) &&
      event.ref.file === ref.file &&
      event.age !== undefined &&
      isStartOf(record.victim.container, event) &&
      event.age.ms + event.age.grainMs < youngest,
  );
}
