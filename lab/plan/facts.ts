import type { Variant } from '../model/axes.ts';
import { FACTS, type Fact, type Facts } from '../model/condition.ts';
import type { Matrix } from '../model/matrix.ts';
import { compareAsWritten, leadingVersion } from './match-condition.ts';

/** What is known of the host a plan is for. */
export interface PlannedHost {
  /** All memory of the host, MiB. */
  readonly memoryMiB?: number;
}

/**
 * Derives what follows from a variant: the versions its suite ships, the drivers in effect, its memory. A fact that
 * cannot be known before the world is there (the version of a local build) is left out, never guessed.
 */
export function deriveFacts(variant: Variant, matrix: Matrix, host: PlannedHost = {}): Facts {
  const suite = matrix.suites[variant.os];
  const kernelSuite = variant.kernel === 'os' ? variant.os : /@([a-z-]+)$/.exec(variant.kernel)?.[1];
  const containerdVersion =
    variant.containerd === 'apt' ? suite?.containerd : leadingVersion(variant.containerd);
  const [kubelet, runtimeDriver] = variant.drivers.split('+');
  return dropUnknown({
    kernelVersion: variant.kernel === 'os' ? suite?.kernel : leadingVersion(variant.kernel),
    kernelSuite,
    systemdVersion: suite?.systemd,
    containerdVersion,
    runcVersion: findRuncVersion(variant.runtime, suite?.runc),
    runscVersion: findRunscVersion(variant.runtime, suite?.runsc),
    kubeletDriver: findKubeletDriver(variant.kubernetes, containerdVersion, kubelet, runtimeDriver),
    runtimeDriver,
    memoryMiB: String(countNodes(variant) * matrix.machine.memoryMiB),
    hostMemoryMiB: host.memoryMiB === undefined ? undefined : String(host.memoryMiB),
  });
}

/** Number of machines of a variant: `1+2` is three. */
export function countNodes(variant: Variant): number {
  return variant.nodes.split('+').reduce((total, count) => total + Number(count), 0);
}

/**
 * The kubelet's cgroup driver in effect. From 1.31 (the gate KubeletCgroupDriverFromCRI is on by default,
 * pkg/features/kube_features.go) the kubelet takes it from the runtime, where that answers RuntimeConfig: containerd
 * from 2.0 on (internal/cri/server/runtime_config_linux.go). Older ones make the kubelet fall back to its own.
 */
function findKubeletDriver(
  kubernetes: string,
  containerdVersion: string | undefined,
  declared: string | undefined,
  runtime: string | undefined,
): string | undefined {
  const kubelet = leadingVersion(kubernetes);
  if (declared === runtime || (kubelet !== undefined && compareAsWritten(kubelet, '1.31') < 0))
    return declared;
  if (kubelet === undefined || containerdVersion === undefined) return undefined;
  return compareAsWritten(containerdVersion, '2.0') < 0 ? declared : runtime;
}

function findRuncVersion(runtime: string, ofSuite: string | undefined): string | undefined {
  return runtime.startsWith('runc@') ? leadingVersion(runtime.slice('runc@'.length)) : ofSuite;
}

/** Release date of runsc: exact versions are pseudo-versions, which begin with it. */
function findRunscVersion(runtime: string, ofSuite: string | undefined): string | undefined {
  if (!runtime.startsWith('runsc@')) return undefined;
  return runtime.startsWith('runsc@apt') ? ofSuite : /^runsc@(\d{8})/.exec(runtime)?.[1];
}

function dropUnknown(facts: { readonly [K in Fact]?: string | undefined }): Facts {
  const known: Partial<Record<Fact, string>> = {};
  for (const name of FACTS) {
    const value = facts[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}
