import type { KubeEvent } from '../../../model/evidence/observation.ts';
import type { GatheredCase } from '../case-file.ts';
import { API_MS } from '../../records/tolerances.ts';
import { isAtMost, shift } from '../../records/times.ts';

/** pkg/controller/tainteviction/taint_eviction.go, and pkg/controller/nodelifecycle/scheduler before. */
const MARKS = 'Marking for deletion Pod';
const TAKES_BACK = 'Cancelling deletion of Pod';

/**
 * Finds the event that a taint of its node deletes the pod. The last event counts: the controller may take the deletion
 * back. The event names the pod without a uid (`getPodReference`).
 */
export function findTaint(file: GatheredCase): KubeEvent | undefined {
  const { namespace, name, createdAt } = file.pod;
  // A table may not have the namespace of the pod.
  const isAbout = (message: string, words: string): boolean =>
    namespace === ''
      ? message.startsWith(`${words} `) && message.endsWith(`/${name}`)
      : message === `${words} ${namespace}/${name}`;
  const said = file.index
    .of('kube-event')
    .filter(
      (event) =>
        event.reason === 'TaintManagerEviction' &&
        [MARKS, TAKES_BACK].some((words) => isAbout(event.message, words)) &&
        isAtMost(shift(createdAt, -API_MS), event.at, { unknown: 'counts', unknownLimit: 'does not' }) &&
        isAtMost(event.at, file.to, { unknown: 'counts' }),
    );
  const last = said.at(-1);
  // Rows of a table are in any order.
  if (said.some(({ at, message }) => at === undefined && message.startsWith(TAKES_BACK))) return undefined;
  return last?.message.startsWith(MARKS) === true ? last : undefined;
}
