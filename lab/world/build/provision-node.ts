import { InternalError } from '../../model/errors.ts';
import type { Guest } from '../../model/host.ts';
import { readGuestSteps, runGuestSteps } from '../../../provision/guest/steps.ts';
import { listIgnoredPreflight } from '../../../provision/kubeadm/releases.ts';
import type { Lab } from '../lab.ts';
import type { ReservedWorld } from './build-step.ts';
import { writeLan } from './lan.ts';
import { writeNodeFiles, type NodeFile } from './node-files.ts';
import { hasOwnKernel } from './recipe.ts';
import { runtimeFiles } from './runtime-files.ts';

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
  const node = input.recipe.nodes.find((each) => each.name === guest.name);
  if (node === undefined) throw new InternalError(`node ${guest.name} is not in the recipe`);
  // A driver mismatch comes later: kubeadm could not make a cluster with it (see `change-driver.ts`).
  const runtime = runtimeFiles(input.recipe, input.image, input.recipe.drivers.kubelet);
  await writeNodeFiles(guest, [...runtime, ...files]);
  await runGuestSteps(host, guest, readGuestSteps(host.projectDir), {
    NODE_NAME: guest.name,
    NODE_ROLE: node.role,
    NODE_ADDRESS: node.address,
    EPOCH: String(Math.floor(host.clock.now() / 1000)),
    IMAGES: input.image.images.join(' '),
    IGNORE_PREFLIGHT: listIgnoredPreflight({
      cgroup: input.recipe.cgroup,
      ownKernel: hasOwnKernel(input.recipe),
      containerd: input.image.versions['containerd'] ?? '',
    }),
    ...(await writeLan(host, input.record, guest, input.recipe.nodes)),
  });
}
