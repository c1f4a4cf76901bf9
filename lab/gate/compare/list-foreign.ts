import type { GatedCell } from '../../model/saved/gate.ts';
import type { GatedProgram } from '../../model/variants/gated-programs.ts';
import { keyOfCell, type NamedCell } from './key-of-cell.ts';

/** What makes two trials of a cell comparable: left out where it is not known, or not yet. */
type CellSetup = NamedCell & Pick<GatedCell, 'address'> & Partial<Pick<GatedCell, 'accelerator' | 'digest'>>;

/** What of the head is of another configuration than the baseline, in words: such cells cannot be compared. */
export function listForeign({
  base,
  head,
  program,
}: {
  readonly base: readonly CellSetup[];
  readonly head: readonly CellSetup[];
  readonly program?: GatedProgram | undefined;
}): string[] {
  const before = new Map(base.map((cell) => [keyOfCell(cell, program), cell]));
  const differs = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && one !== other;
  const found = head.flatMap((cell) => {
    const was = before.get(keyOfCell(cell, program));
    if (was === undefined) return [];
    return [
      ...(differs(was.digest, cell.digest)
        ? [`the scenario ${cell.scenario} is not the one that the baseline ran`]
        : []),
      ...(differs(was.accelerator, cell.accelerator)
        ? [
            `${cell.address} runs with ${cell.accelerator ?? ''}, and ran in the baseline with ${was.accelerator ?? ''}`,
          ]
        : []),
    ];
  });
  return [...new Set(found)];
}
