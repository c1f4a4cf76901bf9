import { InternalError } from '../../model/errors/errors.ts';
import type { Guest } from '../../model/host/host.ts';
import type { Image } from '../../model/components/image.ts';
import { planNodeSettings } from '../../../provision/guest/node-settings.ts';
import { readGuestSteps, runGuestSteps } from '../../../provision/guest/steps.ts';
import { listIgnoredPreflight } from '../../../provision/kubeadm/releases.ts';
import type { Lab } from '../lab.ts';
import type { ReservedWorld } from './build-step.ts';
import { writeLan } from './lan.ts';
import { writeNodeFiles, type NodeFile } from '../recipe/node-files.ts';
import type { NodePlan } from '../recipe/plan-nodes.ts';
import { hasOwnKernel, type WorldRecipe } from '../recipe/recipe.ts';
import { runtimeFiles } from '../recipe/runtime-files.ts';

/**
 * Writes the files that the steps of one node read, and runs the steps. Each step checks itself whether it is for the
 * role of the node.
 */
export async function provisionNode(
  lab: Lab,
  input: Pick<ReservedWorld, 'recipe' | 'image' | 'record'>,
  guest: Guest,
  files: readonly NodeFile[],
): Promise<void> {
  const { host } = lab;
  const node = input.recipe.nodes.find((planned) => planned.name === guest.name);
  if (node === undefined) throw new InternalError(`node ${guest.name} is not in the recipe`);
  // A driver mismatch comes later: kubeadm could not make a cluster with it (see `change-driver.ts`).
  const runtime = runtimeFiles(input.recipe, input.image, input.recipe.drivers.kubelet);
  const settings = planNodeSettings(input.recipe.knobs);
  await writeNodeFiles(guest, [...runtime, ...(settings?.files ?? []), ...files]);
  const steps = [...(settings === undefined ? [] : [settings.step]), ...readGuestSteps(host.projectDir)];
  await runGuestSteps(host, guest, steps, {
    ...stepVariables(input, node, host.clock.now()),
    ...(await writeLan(host, input.record, guest, input.recipe.nodes)),
  });
}

/** What the steps of a node are given, but for the network between several. */
export function stepVariables(
  { recipe, image }: { readonly recipe: WorldRecipe; readonly image: Pick<Image, 'images' | 'versions'> },
  node: NodePlan,
  now: number,
): Record<string, string> {
  return {
    NODE_NAME: node.name,
    NODE_ROLE: node.role,
    NODE_ADDRESS: node.address,
    EPOCH: String(Math.floor(now / 1000)),
    IMAGES: image.images.join(' '),
    IGNORE_PREFLIGHT: listIgnoredPreflight({
      cgroup: recipe.cgroup,
      ownKernel: hasOwnKernel(recipe),
      containerd: image.versions['containerd'] ?? '',
    }),
  };
}
