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
