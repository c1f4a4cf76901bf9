import type { GatedCell } from '../../model/saved/gate.ts';
import { GATED_PROGRAMS, type GatedProgram } from '../../model/variants/gated-programs.ts';

/** A cell, whether it has run or not. */
export type NamedCell = Pick<GatedCell, 'variant' | 'scenario' | 'parameters'>;

/** What a cell is called on both sides: its address, without the axis of the program under test. */
export function keyOfCell(cell: NamedCell, program?: GatedProgram): string {
  const variant = { ...cell.variant };
  if (program !== undefined) delete (variant as Partial<typeof variant>)[GATED_PROGRAMS[program]];
  return JSON.stringify([
    Object.entries(variant).toSorted(),
    cell.scenario,
    Object.entries(cell.parameters ?? {}).toSorted(),
  ]);
}
