import type { Killer } from '../killers/killers.ts';

/**
 * Killers that leave an exit code or a reason behind although no scenario expects it, as saved cells show: whoever obeys SIGTERM
 * ends as it likes, and the kubelet makes up an end for whom it finds no more. A test holds this against every capture.
 */
export const SEEN_ENDS: Readonly<Record<string, readonly Killer[]>> = {
  '143': ['api-deletion'],
  ContainerStatusUnknown: ['kubelet-eviction', 'preemption'],
};
