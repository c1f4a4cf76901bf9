import type { KernelSaid } from '../../model/evidence/observation.ts';
import type { CaseFile } from './case-file.ts';

/** Faults that the kernel of the node reported of itself while the container lived. */
export function findOopses({ index, node, from, to }: CaseFile): KernelSaid[] {
  return index
    .of('kernel-said')
    .filter(
      (each) =>
        each.about === 'oops' &&
        each.node === node &&
        (each.at === undefined || (each.at >= from && each.at <= to)),
    );
}
