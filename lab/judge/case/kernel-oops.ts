import type { KernelSaid } from '../../model/evidence/observation.ts';
import type { CaseFile } from './case-file.ts';
import { isWithin } from '../records/times.ts';

/** Faults that the kernel of the node reported of itself while the container lived. */
export function findOopses({ index, node, from, to }: CaseFile): KernelSaid[] {
  return index
    .of('kernel-said')
    .filter(
      (line) =>
        line.about === 'oops' && line.node === node && isWithin(line.at, from, to, { unknown: 'counts' }),
    );
}

/** Pages of the container's processes that the hardware broke: no act of a program. The kernel may name a thread. */
export function findBrokenMemory({ index, node, processes, signals }: CaseFile): KernelSaid[] {
  const own = new Set([
    ...processes.map(({ pid }) => pid),
    ...signals.flatMap(({ sent }) => (sent.tid === undefined ? [] : [sent.tid])),
  ]);
  return index
    .of('kernel-said')
    .filter((line) => line.about === 'memory-failure' && line.node === node && own.has(line.pid ?? -1));
}
