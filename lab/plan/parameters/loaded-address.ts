import { variantName, type Variant } from '../../model/axes/axes.ts';
import { cellAddress } from '../../model/host/cell-address.ts';
import type { LoadedScenario } from '../../model/declared/scenario.ts';
import { changedTexts } from './fill-parameters.ts';

/** The address of a scenario with its parameters, on a variant. */
export function addressOfLoaded(
  variant: Variant,
  { scenario, parameters }: Pick<LoadedScenario, 'scenario' | 'parameters'>,
): string {
  return cellAddress(variantName(variant), scenario.name, changedTexts(scenario.parameters, parameters));
}
