import type { KubeEvent } from '../../model/evidence/observation.ts';
import { CUT_MS } from '../../model/evidence/source-clocks.ts';
import { isAtMost, shift, type Time } from './times.ts';

/** Whether an event about the pod names the judged container, or no container. */
export function isEventOf(container: string, event: KubeEvent): boolean {
  const said = containerOfEvent(event);
  return said === undefined || said === container;
}

/** The container that an event about a pod names; undefined where it names none. */
export function containerOfEvent({ fieldPath, message }: KubeEvent): string | undefined {
  return (
    /\{(.+)\}/.exec(fieldPath ?? '')?.[1] ??
    /^(?:Stopping container|(?:Init c|C)ontainer) (?!is in ")(\S+)/.exec(message)?.[1] ??
    // Up to 1.12, and up to 1.5.
    /^Killing container with (?:id [a-z-]+:\/\/|docker id )(?:\S+?: ?pod \S+ container "([\w.-]+)"|([\w.-]+):)/
      .exec(message)
      ?.slice(1)
      .find(Boolean)
  );
}

/** Whether the whole second that an event has was over at a time of the same clock. */
export function isSecondBefore(second: Time, at: Time): boolean {
  return isAtMost(shift(second, CUT_MS), at, { unknown: 'does not' });
}
