import type { ComponentRef } from '../../model/components/components.ts';
import type { Config } from '../../plan/config/parse-config.ts';
import { checkLocked } from '../../../provision/components/lock.ts';
import { findTerraform } from '../../../provision/components/terraform.ts';
import type { Context } from '../context/context.ts';

/**
 * With `--locked`, refuses programs that components.lock.yaml does not pin, before anything is built. Without the flag
 * it does nothing.
 *
 * @param listComponents the programs that are needed; called only with `--locked`.
 * @param terraform whether machines are created, which needs OpenTofu on a host without Terraform.
 * @throws HostError LAB_COMPONENT_UNLOCKED with all programs that are not pinned.
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
