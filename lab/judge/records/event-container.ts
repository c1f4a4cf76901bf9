import type { KubeEvent } from '../../model/evidence/observation.ts';

/** Whether an event about the pod names the judged container, or no container. */
export function isEventOf(container: string, event: KubeEvent): boolean {
  const named = /\{(.+)\}/.exec(event.fieldPath ?? '')?.[1];
  if (named !== undefined) return named === container;
  const said = /^(?:Stopping container|(?:Init c|C)ontainer) (?!is in ")(\S+)/.exec(event.message)?.[1];
  return said === undefined || said === container;
}
