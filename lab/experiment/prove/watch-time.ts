import type { Killer } from '../../model/killers/killers.ts';
import type { SeenEnd } from './conclude.ts';

/** A container that lives is watched for so much longer than it took to die. */
const PATIENCE = 1.5;
const LEAST_WATCH_SECONDS = 30;
const MOST_WATCH_SECONDS = 600;

/** How long a container that must live is watched, in seconds, where one like it took so many to die. */
export function watchSecondsFor(diedAfterSeconds: number): number {
  const patient = Math.ceil(diedAfterSeconds * PATIENCE);
  return Math.min(MOST_WATCH_SECONDS, Math.max(LEAST_WATCH_SECONDS, patient));
}

/**
 * How long a container that must live is watched in the next round. The host may be slower than that of the verdict, so the
 * slowest death as it was counts too.
 */
export function watchNextRound(watchSeconds: number, killer: Killer, asItWas: readonly SeenEnd[]): number {
  const died = asItWas.filter((end) => end.killer === killer).map(({ seconds }) => seconds);
  return Math.max(watchSeconds, watchSecondsFor(Math.max(0, ...died)));
}
