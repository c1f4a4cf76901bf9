import { createHash } from 'node:crypto';
import type { Components } from '../model/components.ts';
import { variantName, type Variant } from '../model/axes.ts';
import { resolveVersion } from '../model/components.ts';

/** Guest RAM of a control-plane node. kubeadm refuses less than 1700 MiB; 3 GiB leaves the eaters room. */
const NODE_MEMORY_MIB = 3072;
const NODE_VCPUS = 2;
const NODE_DISK_GIB = 8;

/** What a world is made of, derived from its variant alone. */
export interface WorldRecipe {
  readonly name: string;
  readonly variant: Variant;
  readonly suite: string;
  readonly kubernetes: string;
  /** Components to build or fetch, exact versions. */
  readonly components: readonly { readonly name: string; readonly version: string }[];
  readonly cgroupDriver: 'systemd' | 'cgroupfs';
  readonly nodes: readonly {
    readonly name: string;
    readonly memoryMiB: number;
    readonly vcpus: number;
    readonly diskGiB: number;
  }[];
}

/** Components that go into every guest image. */
const GUEST_COMPONENTS = ['kubernetes', 'etcd', 'coredns', 'cni-plugins', 'workloads', 'witness'] as const;

/** Derives the recipe of a variant. */
export function planWorld(variant: Variant, catalogue: Components): WorldRecipe {
  const kubernetes = resolveVersion(catalogue, 'kubernetes', variant.kubernetes);
  return {
    name: variantName(variant),
    variant,
    suite: variant.os,
    kubernetes,
    components: GUEST_COMPONENTS.map((name) => ({
      name,
      version: name === 'kubernetes' ? kubernetes : resolveVersion(catalogue, name),
    })),
    cgroupDriver: variant.drivers.startsWith('systemd+') ? 'systemd' : 'cgroupfs',
    nodes: [{ name: 'node-1', memoryMiB: NODE_MEMORY_MIB, vcpus: NODE_VCPUS, diskGiB: NODE_DISK_GIB }],
  };
}

/** Kernel command line of a node, name by name. */
export function kernelArguments(variant: Variant): Record<string, string> {
  return {
    root: '/dev/vda',
    rw: '',
    console: 'ttyS0',
    'net.ifnames': '0',
    mitigations: 'off',
    // The kernel log is evidence: a ring that does not wrap while a cell runs.
    log_buf_len: '8M',
    ...(variant.cgroup === 'v1'
      ? { 'systemd.unified_cgroup_hierarchy': '0', 'systemd.legacy_systemd_cgroup_controller': '1' }
      : {}),
  };
}

/** Digest of everything that goes into a world: 16 hex digits. */
export function worldKey(parts: Readonly<Record<string, unknown>>): string {
  const whole = Object.entries(parts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return createHash('sha256').update(whole.join('\n')).digest('hex').slice(0, 16);
}
