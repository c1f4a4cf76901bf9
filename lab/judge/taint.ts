import type { KubeEvent } from '../model/observation.ts';
import type { CaseFile } from './case-file.ts';
import { API_MS } from './tolerances.ts';

/**
 * That a taint of its node asks for the pod's deletion.
 * Its event names the pod without a uid (`getPodReference` in pkg/controller/tainteviction/taint_eviction.go, and in
 * pkg/controller/nodelifecycle/scheduler before); the same reason also tells that a deletion was cancelled.
 */
export function findTaint(file: CaseFile): KubeEvent | undefined {
  const { namespace, name, createdAt } = file.pod;
  return file.index
    .of('kube-event')
    .find(
      (each) =>
        each.reason === 'TaintManagerEviction' &&
        each.message === `Marking for deletion Pod ${namespace}/${name}` &&
        (each.at ?? 0) >= (createdAt ?? 0) - API_MS &&
        (each.at ?? 0) <= file.to,
    );
}
