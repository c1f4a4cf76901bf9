import type { AxisDefinition, Declared, ReadValue } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';
import { compareAsWritten } from '../variants/versions.ts';
import type { CgroupVersion } from './cgroup.ts';
import { containerd } from './containerd.ts';
import { kubernetes } from './kubernetes.ts';

/** How something manages cgroups. */
export type CgroupDriver = 'systemd' | 'cgroupfs';

/** The cgroup drivers of a node. */
export interface Drivers {
  readonly kubelet: CgroupDriver;
  /** The cgroup driver of containerd's runc handler. */
  readonly runtime: CgroupDriver;
}

export const drivers: AxisDefinition<'drivers', Drivers, 'kubeletDriver' | 'runtimeDriver'> = {
  name: 'drivers',
  defaultValue: 'systemd+systemd',
  parse: parseDrivers,
  facts: {
    /** The kubelet's cgroup driver in effect: the declared one, or the runtime's where the kubelet asks for it. */
    kubeletDriver: findKubeletDriver,
    /** The cgroup driver of the container runtime. */
    runtimeDriver: (read) => read(drivers).runtime,
  },
};

/** Reads `<of the kubelet>+<of the runtime>`: `systemd+cgroupfs`. */
function parseDrivers(written: string): Drivers {
  const [kubelet, runtime, ...rest] = written.split('+');
  if (isCgroupDriver(kubelet) && isCgroupDriver(runtime) && rest.length === 0) return { kubelet, runtime };
  throw new UsageError(`"${written}" is not a pair of drivers`, { tryNext: 'systemd+cgroupfs' });
}

/** Whether a text, such as a fact, is the name of a driver. */
export function isCgroupDriver(text: string | undefined): text is CgroupDriver {
  return text === 'systemd' || text === 'cgroupfs';
}

/**
 * The kubelet's cgroup driver in effect. From 1.31 (the gate KubeletCgroupDriverFromCRI is on by default,
 * pkg/features/kube_features.go) the kubelet takes it from the runtime, where that answers RuntimeConfig: containerd
 * from 2.0 on (internal/cri/server/runtime_config_linux.go). Older ones make the kubelet fall back to its own.
 */
function findKubeletDriver(read: ReadValue, declared: Declared): CgroupDriver | undefined {
  const { kubelet, runtime } = read(drivers);
  if (kubelet === runtime || compareAsWritten(read(kubernetes).release, '1.31') < 0) return kubelet;
  const containerdVersion = containerd.facts.containerdVersion(read, declared);
  if (containerdVersion === undefined) return undefined;
  return compareAsWritten(containerdVersion, '2.0') < 0 ? kubelet : runtime;
}

/**
 * Whether the kubelet of such a node kills healthy pods again and again: it manages cgroups through systemd while
 * containers live outside its slices, which only cgroup v2 punishes
 * (https://github.com/kubernetes/kubernetes/issues/131567). `drivers` are those in effect.
 */
export function isKillLoop(drivers: Drivers, cgroup: CgroupVersion): boolean {
  return cgroup === 'v2' && drivers.kubelet === 'systemd' && drivers.runtime === 'cgroupfs';
}
