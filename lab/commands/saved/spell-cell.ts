import { join } from 'node:path';
import { findJsonInside } from '../../drivers/files/inside.ts';
import { isUnreadable, UsageError } from '../../model/errors/errors.ts';
import { cellPaths } from '../../model/host/paths.ts';
import { spellToday } from '../../model/host/spell-today.ts';
import { effectiveSchema, type Effective } from '../../model/saved/effective.ts';
import type { CellResult } from '../../model/saved/formats.ts';
import { shellWord } from '../../model/text/shell.ts';

/** Returns what was read back from the nodes of a saved cell; undefined when that was not saved, or cannot be read. */
export function readEffective(
  runDir: string,
  { evidence }: Pick<CellResult, 'evidence'>,
): Effective | undefined {
  if (evidence === '') return undefined;
  const { effective } = cellPaths(join(runDir, evidence));
  try {
    return effectiveSchema.safeParse(findJsonInside(runDir, effective)).data;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/** Returns a cell of a saved run with the address that it has today. */
export function spellSavedCell(runDir: string, cell: CellResult): CellResult {
  return spellToday(cell, () => readEffective(runDir, cell)?.versions);
}

/**
 * Requires that cells of a saved run have the address today that they were saved with.
 *
 * @throws UsageError naming the first one that has another address: the run would get a second kind of cell under its name.
 */
export function refuseSpelledOtherwise(
  { dir, id }: { readonly dir: string; readonly id: string },
  cells: readonly CellResult[],
): void {
  for (const cell of cells) {
    const { address } = spellSavedCell(dir, cell);
    if (address === cell.address) continue;
    throw new UsageError(
      `${cell.address} of run ${id} has the address ${address} today; under its old one another cell would run`,
      { tryNext: `npx whodunit run ${shellWord(address)}` },
    );
  }
}
