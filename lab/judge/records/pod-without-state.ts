import type { PodSeen } from '../../model/evidence/observation.ts';

/** A pod as its node knows it, where the API said nothing of it: names and a uid, and no state. */
export function podWithoutState(
  known: Pick<PodSeen, 'ref' | 'boot' | 'namespace' | 'name' | 'uid' | 'createdAt' | 'node' | 'containers'>,
): PodSeen {
  return {
    kind: 'pod-seen',
    at: undefined,
    type: 'MODIFIED',
    labels: {},
    phase: 'Unknown',
    reason: undefined,
    message: undefined,
    deletionAt: undefined,
    disruption: undefined,
    ...known,
  };
}
