import { valueOf } from '../../model/axes/axes.ts';
import { handlerOf } from '../../model/axes/runtime.ts';
import { RUNC_UNDER_TEST } from '../../model/components/under-test.ts';
import type { GatedCell } from '../../model/saved/gate.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import { keyOfCell, type NamedCell } from './key-of-cell.ts';

type PlannedCell = NamedCell & Pick<GatedCell, 'address'>;

/**
 * Cells whose runc runs the control plane on one side and only the workloads on the other: more than runc differs between
 * them. The runc of the suite, which no variant names, always runs both.
 */
export function listOtherPlaces(
  base: readonly PlannedCell[],
  head: readonly PlannedCell[],
  program: GatedProgram | undefined,
): string[] {
  const before = new Map(base.map((cell) => [keyOfCell(cell, program), cell]));
  return head.flatMap((cell) => {
    const was = before.get(keyOfCell(cell, program));
    if (was === undefined) return [];
    const [place, placeBefore] = [placeOfRunc(cell), placeOfRunc(was)];
    if (place === undefined || placeBefore === undefined || place === placeBefore) return [];
    return [
      `${cell.address} runs ${place} under its runc, and in the baseline ${was.address} ran ${placeBefore}`,
    ];
  });
}

function placeOfRunc({ variant }: Pick<GatedCell, 'variant'>): string | undefined {
  const runtime = valueOf(variant, 'runtime');
  if (handlerOf(runtime) === RUNC_UNDER_TEST) return 'only workloads';
  return runtime.name === 'runc' && runtime.everywhere === true ? 'the control plane too' : undefined;
}
