import { createHash } from 'node:crypto';
import type { Matrix } from '../model/matrix.ts';
import { NODE_ADDRESS, POD_SUBNET, renderKubeadmConfig } from '../../provision/kubeadm/config.ts';
import { variantName, type Variant } from '../model/axes.ts';
import { listClusterComponents, resolveVersion, type Components } from '../model/components.ts';

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

/** Derives the recipe of a variant. */
export function planWorld(variant: Variant, machine: Matrix['machine'], catalogue: Components): WorldRecipe {
  const kubernetes = resolveVersion(catalogue, 'kubernetes', variant.kubernetes);
  return {
    name: variantName(variant),
    variant,
    suite: variant.os,
    kubernetes,
    components: listClusterComponents(catalogue, kubernetes),
    cgroupDriver: variant.drivers.startsWith('systemd+') ? 'systemd' : 'cgroupfs',
    nodes: [{ name: 'node-1', ...machine }],
  };
}

/** Words of the kernel command line of a node. */
export function kernelArguments(variant: Variant): string[] {
  return [
    'root=/dev/vda',
    'rw',
    'console=ttyS0',
    'net.ifnames=0',
    'mitigations=off',
    // The kernel log is evidence: a ring that does not wrap while a cell runs.
    'log_buf_len=8M',
    ...(variant.cgroup === 'v1'
      ? ['systemd.unified_cgroup_hierarchy=0', 'systemd.legacy_systemd_cgroup_controller=1']
      : []),
  ];
}

/** The configuration of `kubeadm init` on the first node. */
export function kubeadmConfig(recipe: WorldRecipe): string {
  return renderKubeadmConfig({
    kubernetes: recipe.kubernetes,
    nodeName: recipe.nodes[0]?.name ?? '',
    nodeAddress: NODE_ADDRESS,
    podSubnet: POD_SUBNET,
    extraSans: ['127.0.0.1', 'localhost'],
    cgroupDriver: recipe.cgroupDriver,
    etcdDataDir: '/var/lib/etcd',
  });
}

/** Digest of everything that goes into a world: 16 hex digits. */
export function worldKey(parts: Readonly<Record<string, unknown>>): string {
  const whole = Object.entries(parts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return createHash('sha256').update(whole.join('\n')).digest('hex').slice(0, 16);
}
