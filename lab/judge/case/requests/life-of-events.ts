import { largest } from '../../../model/text/extremes.ts';
import type { KubeEvent } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { API_MS } from '../../records/tolerances.ts';
import { isAfter, isBefore, shift } from '../../records/times.ts';

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
  return file.first?.from ?? file.end?.startedAt ?? file.view?.startedAt;
}
