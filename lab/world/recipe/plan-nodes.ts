import type { Nodes } from '../../model/axes/nodes.ts';
import type { Matrix } from '../../model/declared/matrix.ts';
import { NODE_ADDRESS } from '../../../provision/kubeadm/config.ts';

/** One node of a world as it is meant to be. */
export interface NodePlan {
  /** `node-1` is the control plane. */
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly memoryMiB: number;
  readonly vcpus: number;
  readonly diskGiB: number;
  /** What the kubelet registers, and where the API of the control plane is reached from the other nodes. */
  readonly address: string;
  /** Pods of this node; each node has a /24 of `POD_SUBNET`. */
  readonly podSubnet: string;
}

/**
 * Plans the nodes of a world, the control plane first.
 *
 * A single node has the address of QEMU's user-mode network. As that is the same in every machine, several nodes talk
 * over a network of their own, 10.99.0.0/24.
 */
export function planNodes({ workers }: Nodes, machine: Matrix['machine']): NodePlan[] {
  const count = 1 + workers;
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`,
    role: index === 0 ? 'control-plane' : 'worker',
    ...machine,
    address: count === 1 ? NODE_ADDRESS : `10.99.0.${index + 1}`,
    podSubnet: `10.244.${index}.0/24`,
  }));
}
