import type { Level } from '../model/killers.ts';

/**
 * The level of a cgroup path in the pod hierarchy, for both cgroup drivers and both cgroup versions. Undefined for a
 * path outside of it.
 */
export function levelOf(path: string): Level | undefined {
  const last = path.split('/').at(-1) ?? '';
  if (path === '/' || path === '') return 'node';
  if (/[0-9a-f]{64}/.test(last)) return 'container';
  if (/(?:^|-)pod[0-9a-f]{8}[-_0-9a-f]*(?:\.slice)?$|(?:^|-)pod[0-9a-f]{32}(?:\.slice)?$/.test(last))
    return 'pod';
  if (/^(?:kubepods(?:-burstable|-besteffort)?(?:\.slice)?|burstable|besteffort)$/.test(last)) return 'qos';
  return undefined;
}

/** Whether a cgroup path belongs to the pod; its uid has `_` for `-` in the names of the systemd driver. */
export function isOfPod(path: string, podUid: string): boolean {
  return podUid !== '' && (path.includes(podUid) || path.includes(podUid.replaceAll('-', '_')));
}
