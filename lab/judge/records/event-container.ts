import type { KubeEvent } from '../../model/evidence/observation.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { isAtMost, shift, type Time } from './times.ts';

/** Whether an event about the pod names the judged container, or no container. */
export function isEventOf(container: string, event: KubeEvent): boolean {
  const named = /\{(.+)\}/.exec(event.fieldPath ?? '')?.[1];
  if (named !== undefined) return named === container;
  const said =
    /^(?:Stopping container|(?:Init c|C)ontainer) (?!is in ")(\S+)/.exec(event.message)?.[1] ??
    // Up to 1.12.
    /^Killing container with id [a-z-]+:\/\/(?:[0-9a-f]{64}:pod \S+ container "([\w.-]+)"|([\w.-]+):)/
      .exec(event.message)
      ?.slice(1)
      .find(Boolean);
  return said === undefined || said === container;
}

/** Whether the whole second that an event has was over at a time of the same clock. */
export function isSecondBefore(second: Time, at: Time): boolean {
  return isAtMost(shift(second, CUT_MS), at, { unknown: 'does not' });
}
