import { valueOf, variantName, type Variant } from '../axes/axes.ts';
import { EVERYWHERE, handlerOf } from '../axes/runtime.ts';
import { RUNC_UNDER_TEST } from '../components/under-test.ts';
import { scenarioPart } from './cell-address.ts';

/** A saved cell, as far as it says what it was. */
interface SavedCell {
  readonly address: string;
  readonly variant: Variant;
}

/**
 * A saved cell with the address that it has today. `runc@<version>` once ran the control plane too: that is `+everywhere` now.
 * Who compares such a cell with one of today, or runs it again, has to mean the same.
 *
 * @param readVersions what was read back of its nodes. Where that was not saved, nothing is known, and the cell stays as it is.
 */
export function spellToday<Cell extends SavedCell>(
  cell: Cell,
  readVersions: () => Readonly<Record<string, string>> | undefined,
): Cell {
  const { address, variant } = cell;
  if (handlerOf(valueOf(variant, 'runtime')) !== RUNC_UNDER_TEST) return cell;
  const versions = readVersions() ?? {};
  if (!Object.hasOwn(versions, 'runc') || Object.hasOwn(versions, RUNC_UNDER_TEST)) return cell;
  const today = { ...variant, runtime: `${variant.runtime}${EVERYWHERE}` };
  return { ...cell, variant: today, address: `${variantName(today)}/${scenarioPart(address)}` };
}
