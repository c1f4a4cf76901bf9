import type { ComponentRef } from '../../model/components/components.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { checkLocked } from '../../../provision/components/lock.ts';
import { findTerraform } from '../../../provision/components/terraform.ts';
import type { Context } from '../context/context.ts';

/**
 * With `--locked`, refuses what the lock does not have before anything is made; without, does nothing.
 *
 * @param listComponents what is made; asked only with `--locked`.
 * @param terraform whether machines are made, which takes OpenTofu where there is no Terraform.
 * @throws HostError LAB_COMPONENT_UNLOCKED naming all that it lacks.
 */
export async function refuseUnlocked(
  context: Context,
  { catalogue }: Pick<Config, 'catalogue'>,
  listComponents: () => readonly ComponentRef[],
  { terraform }: { readonly terraform: boolean },
): Promise<void> {
  if (context.locked !== true) return;
  const isMissing = terraform && (await findTerraform(context)) === undefined;
  checkLocked(context, catalogue, [...listComponents(), ...(isMissing ? [{ name: 'opentofu' }] : [])]);
}
