import { namesOf } from '../../model/text/names-of.ts';
import { ownValue } from '../../model/text/own-value.ts';

/** The layers that can report an end, from the outside in: the lanes of the time axis. */
export const LANES = {
  lab: 'lab',
  api: 'API',
  kubelet: 'kubelet',
  runtime: 'runtime',
  system: 'systemd',
  cgroup: 'cgroup',
  kernel: 'kernel',
} as const;

/** Name of a lane. */
export type Lane = keyof typeof LANES;

/** The lanes from top to bottom. */
export const LANE_NAMES = namesOf(LANES);

/** Sources of evidence that are not named like their lane. */
const LANE_OF: Readonly<Record<string, Lane>> = {
  kmsg: 'kernel',
  trace: 'kernel',
  witness: 'cgroup',
  cgroup: 'cgroup',
  containerd: 'runtime',
  tasks: 'runtime',
  cri: 'runtime',
  kubelet: 'kubelet',
  system: 'system',
  pod: 'api',
  event: 'api',
  node: 'api',
};

/** Returns the lane of a source. A source without a lane of its own is the lab. */
export function laneOf(source: string): Lane {
  return ownValue(LANE_OF, source) ?? 'lab';
}
