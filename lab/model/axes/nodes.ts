import type { AxisDefinition } from '../variants/axis.ts';
import { UsageError } from '../errors/errors.ts';

/** The machines of a world in addition to its control plane, which also runs workloads when it is the only one. */
export interface Nodes {
  /** 0 to 9. */
  readonly workers: number;
}

export const nodes: AxisDefinition<'nodes', Nodes, 'memoryMiB'> = {
  name: 'nodes',
  defaultValue: '1',
  parse: (written) => {
    const found = /^1(?:\+([1-9]))?$/.exec(written);
    if (found !== null) return { workers: Number(found[1] ?? 0) };
    throw new UsageError(`"${written}" is not a number of nodes`, { tryNext: '1, or 1+1 to 1+9' });
  },
  // A single node has no card for a network between nodes, and another address.
  base: ({ workers }) => (workers === 0 ? '1' : '1+1'),
  facts: {
    /** Memory of all machines of the world, MiB. */
    memoryMiB: (read, { machine }) => String((1 + read(nodes).workers) * machine.memoryMiB),
  },
};
