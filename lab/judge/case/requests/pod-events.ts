import type { KubeEvent } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { isOfKubelet } from '../coverage.ts';
import { isBeforeLife, lifeFrom, skipsLife } from './event-life.ts';
import { API_MS } from '../../records/tolerances.ts';
import { isAtLeast, shift } from '../../records/times.ts';

/**
 * Finds an event about the pod in the life of this container. An event that was written several times counts from its
 * first.
 */
export function findEvent(file: GatheredCase, wanted: (event: KubeEvent) => boolean): KubeEvent | undefined {
  return file.podEvents.find(
    (event) =>
      wanted(event) &&
      !skipsLife(event, file) &&
      !(isOfKubelet(event) && isBeforeLife(event.at, file)) &&
      isAtLeast(event.at, shift(lifeFrom(file), -API_MS), { unknown: 'counts' }),
  );
}

/** When an event was first written. */
export function firstTimeOf(event: KubeEvent | undefined): number | undefined {
  return event?.firstAt ?? event?.at;
}
