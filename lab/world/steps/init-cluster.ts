import { writePrivateText } from '../../drivers/files/files.ts';
import { openKubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import { InternalError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import { PATCHES_DIR } from '../../../provision/kubeadm/patches.ts';
import type { BootedWorld, BuildStep, ClusterWorld } from './build-step.ts';
import { provisionNode } from './provision-node.ts';
import type { WorldRecord } from '../world-record.ts';
import type { NodeFile } from '../recipe/node-files.ts';
import { kubeadmConfig, kubeadmPatches, type WorldRecipe } from '../recipe/recipe.ts';

/** Makes the control plane on the first node, and the kubeconfig with which the host reaches it. */
export const initCluster: BuildStep<BootedWorld, ClusterWorld> = {
  name: 'kubeadm',
  title: 'kubeadm init',
  run: async (lab, world) => {
    const { host } = lab;
    const [first] = world.guests;
    if (first === undefined) throw new InternalError('a world without nodes');
    const { kubeconfig } = statePaths(host.stateDir).world(world.record.name);
    await provisionNode(lab, world, first, controlPlaneFiles(world.recipe));
    const adminConf = await first.must('cat /etc/kubernetes/admin.conf');
    writePrivateText(kubeconfig, forwardKubeconfig(adminConf, world.record));
    return { ...world, kubernetes: await openKubernetes(kubeconfig, host) };
  },
};

/** The files with which kubeadm makes the control plane. */
export function controlPlaneFiles(recipe: WorldRecipe): NodeFile[] {
  const patches = Object.entries(kubeadmPatches(recipe)).map(([name, text]) => ({
    path: `${PATCHES_DIR}/${name}`,
    text,
  }));
  return [...patches, kubeadmFile(recipe)];
}

/** Where kubeadm reads the configuration of the control plane: `provision/guest/steps/30-kubeadm-init.sh`. */
export function kubeadmFile(recipe: WorldRecipe): NodeFile {
  return { path: '/etc/kubernetes/kubeadm.yaml', text: kubeadmConfig(recipe), mode: 0o600 };
}

/** Turns a kubeconfig of the cluster into one that reaches the API of a world from the host. */
export function forwardKubeconfig(kubeconfig: string, { nodes }: Pick<WorldRecord, 'nodes'>): string {
  const apiPort = nodes[0]?.apiPort ?? 0;
  return kubeconfig.replace(/server: https:\/\/\S+/, `server: https://127.0.0.1:${apiPort}`);
}
