import type { KubeEvent, PodSeen } from '../../model/evidence/observation.ts';

/** What controllers write of a pod that they made or deleted (pkg/controller/controller_utils.go, stateful_pod_control.go). */
const WORDS = {
  SuccessfulCreate: /^(?:Created pod: |create Pod )([\w.-]+)/,
  SuccessfulDelete: /^(?:Deleted pod: |delete Pod )([\w.-]+)/,
} as const;

/** Whether a controller says that it made or deleted a pod of that name. A table may not have the namespace of either. */
export function isOfController(
  { reason, message, objectNamespace }: KubeEvent,
  wanted: keyof typeof WORDS,
  pod: Pick<PodSeen, 'name' | 'namespace'>,
): boolean {
  return (
    reason === wanted &&
    WORDS[wanted].exec(message)?.[1] === pod.name &&
    (objectNamespace === pod.namespace || objectNamespace === '' || pod.namespace === '')
  );
}
