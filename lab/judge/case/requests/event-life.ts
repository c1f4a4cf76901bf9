import { largest } from '../../../model/text/extremes.ts';
import type { KubeEvent, KubeletSaid } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { CUT_MS } from '../../../model/evidence/source-clocks.ts';
import { isSecondBefore } from '../../records/event-container.ts';
import { API_MS, SEEN_LATE_MS } from '../../records/tolerances.ts';
import { isAfter, isAtMost, isBefore, isWithin, latest, shift, type Time } from '../../records/times.ts';

/** Events that belong to the life of the judged container, and not to that of the one before or after it. */

/**
 * Whether an event that was written before the life of the container and after it may have missed it: of those in between only
 * the number is known, and the container ended more often than that.
 */
export function skipsLife({ count, firstAt, at }: KubeEvent, file: GatheredCase): boolean {
  const isAround =
    isBefore(firstAt, shift(lifeFrom(file), -API_MS), { unknown: 'does not' }) &&
    isAfter(at, file.to, { unknown: 'does not' });
  return isAround && (count === 2 || count < endsUntil(file));
}

/** How often the container has ended or is about to, as far as the API told; 0 where it did not. */
function endsUntil({ versions, record }: GatheredCase): number {
  const views = versions.flatMap(({ containers }) => containers);
  const own = views.filter(({ name }) => name === record.victim.container);
  return largest(
    own.map(({ restartCount }) => restartCount + 1),
    0,
  );
}

/** When the judged container began, as closely as records say. */
export function lifeFrom(file: GatheredCase): number | undefined {
  return file.first?.from ?? startedAtOf(file);
}

/**
 * Whether an event of the kubelet was written before the container began: a container starts again a second after the one
 * before it was killed. Runtime and kubelet have the clock of the node. In the second of the start it was before, if the former
 * container ended in that second, and the kubelet did not say then that it stops this one.
 */
export function isBeforeLife(second: Time, file: GatheredCase): boolean {
  const startedAt = startedAtOf(file);
  if (isSecondBefore(second, startedAt ?? shift(file.first?.from, -SEEN_LATE_MS))) return true;
  const isOfBoth =
    isAtMost(second, startedAt, { unknown: 'does not' }) &&
    isAtMost(second, formerEndOf(file), { unknown: 'does not' });
  return isOfBoth && !file.kubeletLines.some((line) => isStopIn(line, second));
}

/** When the container of that name before the judged one ended, as the API says. */
function formerEndOf(file: GatheredCase): Time {
  const { versions, pod, record, containerId } = file;
  const startedAt = startedAtOf(file);
  const ends = versions
    .filter(({ uid }) => uid === pod.uid)
    .flatMap(({ containers }) => containers.filter(({ name }) => name === record.victim.container))
    .flatMap((state) => [state, ...(state.last === undefined ? [] : [state.last])])
    .filter(
      ({ id, finishedAt }) => id !== containerId && isAtMost(finishedAt, startedAt, { unknown: 'does not' }),
    );
  return latest(ends.map(({ finishedAt }) => finishedAt));
}

function isStopIn({ about, at }: KubeletSaid, second: Time): boolean {
  return (
    about === 'killing-container' && isWithin(at, second, shift(second, CUT_MS), { unknown: 'does not' })
  );
}

/** The second of an event in the life of the container: its last one, where it was first written about an earlier container. */
export function secondOf(event: KubeEvent, file: GatheredCase): Time {
  const first = event.firstAt ?? event.at;
  const isLast = isAtMost(event.at, file.decidedAt ?? file.to, { unknown: 'does not' });
  return isLast && isBeforeLife(first, file) ? event.at : first;
}

function startedAtOf({ end, view }: GatheredCase): Time {
  return end?.startedAt ?? view?.startedAt;
}
