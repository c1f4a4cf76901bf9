import { isOfPod as isPathOfPod, parseCgroupPath } from '../model/cgroup-path.ts';
import type { Level } from '../model/killers.ts';

/**
 * The level of a cgroup path in the pod hierarchy, for both cgroup drivers and both cgroup versions. Undefined for a
 * path outside of it.
 */
export function levelOf(path: string): Level | undefined {
  return parseCgroupPath(path).level;
}

/** Whether a cgroup path belongs to the pod; its uid has `_` for `-` in the names of the systemd driver. */
export function isOfPod(path: string, podUid: string): boolean {
  return isPathOfPod(path, podUid);
}

/** Whether a cgroup path belongs to the pod, by any of its uids. */
export function isOfPods(path: string, podUids: readonly string[]): boolean {
  return podUids.some((uid) => isOfPod(path, uid));
}
