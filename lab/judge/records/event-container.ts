import type { KubeEvent } from '../../model/evidence/observation.ts';

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
