import { namesOnly, variantName, type Variant } from '../axes/axes.ts';
import type { ParameterTexts } from '../declared/parameters.ts';
import { cellAddress, scenarioPart, splitBrackets } from './cell-address.ts';
import { ownValue } from '../text/own-value.ts';

/** A cell by its name, and by what it is made of. */
interface NamedCell {
  readonly address: string;
  readonly variant: Variant;
  readonly scenario: string;
  readonly parameters?: ParameterTexts | undefined;
}

/**
 * The address that a saved cell should have, where its own contradicts it: another scenario, or a value of an axis or a
 * parameter that it does not have. Undefined where it fits. A result that contradicts itself would be shown as that of
 * another cell. A value that the address does not name was the default when the cell was saved, whatever the default is now.
 */
export function findTrueAddress({
  address,
  variant,
  scenario,
  parameters = {},
}: NamedCell): string | undefined {
  const { inside = [] } = splitBrackets(scenarioPart(address));
  const changed = inside.flatMap(({ name }) => {
    const value = ownValue(parameters, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const written = Object.fromEntries(changed);
  const named = address.slice(0, Math.max(0, address.lastIndexOf('/')));
  const fits = namesOnly(variant, named) && address === cellAddress(named, scenario, written);
  return fits ? undefined : cellAddress(variantName(variant), scenario, written);
}
