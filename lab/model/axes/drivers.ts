import { InternalError } from '../errors.ts';

/** How something manages cgroups. */
export type CgroupDriver = 'systemd' | 'cgroupfs';

/** The cgroup drivers of a node. */
export interface Drivers {
  readonly kubelet: CgroupDriver;
  /** Of containerd's runc handler. */
  readonly runtime: CgroupDriver;
}

/** Reads a value of the axis `drivers`: `systemd+cgroupfs`. */
export function parseDrivers(value: string): Drivers {
  const [kubelet, runtime, ...rest] = value.split('+');
  if (!isDriver(kubelet) || !isDriver(runtime) || rest.length > 0)
    throw new InternalError(`drivers=${value}: the planner lets systemd and cgroupfs pass, on both sides`);
  return { kubelet, runtime };
}

function isDriver(value: string | undefined): value is CgroupDriver {
  return value === 'systemd' || value === 'cgroupfs';
}

/**
 * Whether the kubelet of such a node kills healthy pods again and again: it manages cgroups through systemd while
 * containers live outside its slices, which only cgroup v2 punishes
 * (https://github.com/kubernetes/kubernetes/issues/131567). `drivers` are those in effect.
 */
export function isKillLoop(drivers: Drivers, cgroup: 'v1' | 'v2'): boolean {
  return cgroup === 'v2' && drivers.kubelet === 'systemd' && drivers.runtime === 'cgroupfs';
}
