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
  const last = file.index
    .of('kube-event')
    .findLast(
      (event) =>
        event.reason === 'TaintManagerEviction' &&
        [MARKS, TAKES_BACK].some((words) => event.message === `${words} ${namespace}/${name}`) &&
        isAtMost(shift(createdAt, -API_MS), event.at, { unknown: 'counts', unknownLimit: 'does not' }) &&
        isAtMost(event.at, file.to, { unknown: 'counts' }),
    );
  return last?.message.startsWith(MARKS) === true ? last : undefined;
}
