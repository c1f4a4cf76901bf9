import { isObject } from '../../model/files/parse-json.ts';
import { objectAt, objectsIn, stringOf } from '../lines.ts';

type Fields = Record<string, unknown>;

/** Reasons with which the kubelet ends a whole pod. Up to 1.21 it leaves out what its containers were then. */
const ENDED_BY_KUBELET = /^(?:Evicted|Preempting|DeadlineExceeded|Terminated|Shutdown|NodeShutdown)$/;
/** Texts of pods that the kubelet never let in: nothing of them has run (rejectPod of pkg/kubelet/kubelet.go). */
const NEVER_LET_IN =
  /^(?:Pod )?(?:The node had condition|was rejected|Predicate|Node is in progress of shutting)/;

/**
 * How the kubelet begins what it says of a pod that it ended as a whole, with the reason that it gives. In which releases it
 * does is in docs/texts-of-kills.yaml; which limit an eviction is about is a question of the judge (reasonOfEviction).
 */
const SAID_OF_END: readonly (readonly [reason: string, text: RegExp])[] = [
  [
    'Evicted',
    /^(?:The node was low on resource: |Usage of EmptyDir volume |Pod ephemeral local storage usage exceeds|Container \S+ exceeded its local ephemeral storage limit)/,
  ],
  ['Terminated', /^Pod was terminated in response to imminent node shutdown/],
  ['Preempting', /^Preempted in order to admit critical pod/],
  ['DeadlineExceeded', /^Pod was active on the node longer than/],
];

/** The reason of a pod that was ended as a whole, by its message: people paste only that. */
export function reasonOfEnd(message: string | undefined): string | undefined {
  return SAID_OF_END.find(([, text]) => text.test(message ?? ''))?.[0];
}

/**
 * Gives the containers of a pod that the kubelet ended as a whole the state that it makes up since 1.22, where its status has
 * none. A pod without a definition gets one container without a name: it had one at least.
 */
export function withForgottenEnds(pod: Fields): Fields {
  const status = objectAt(pod, 'status');
  const known = [...objectsIn(status['containerStatuses']), ...objectsIn(status['initContainerStatuses'])];
  const isEnded =
    status['phase'] === 'Failed' &&
    ENDED_BY_KUBELET.test(stringOf(status['reason']) ?? '') &&
    !NEVER_LET_IN.test(stringOf(status['message']) ?? '');
  if (!isEnded || known.some(isTold)) return pod;
  const names = [...known, ...objectsIn(objectAt(pod, 'spec')['containers'])].map(
    ({ name }) => stringOf(name) ?? '',
  );
  const containers = names.length === 0 ? [''] : [...new Set(names)];
  const containerStatuses = containers.map((name) => ({
    name,
    state: { terminated: { reason: 'ContainerStatusUnknown' } },
  }));
  return { ...pod, status: { ...status, containerStatuses } };
}

function isTold(status: Fields): boolean {
  return ['state', 'lastState'].some((name) => {
    const said = objectAt(status, name);
    return isObject(said['terminated']) || isObject(said['running']) || isObject(said['waiting']);
  });
}
