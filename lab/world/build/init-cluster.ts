import { writePrivateText } from '../../drivers/files.ts';
import { openKubernetes } from '../../drivers/kubernetes.ts';
import { InternalError } from '../../model/errors.ts';
import { statePaths } from '../../model/paths.ts';
import { PATCHES_DIR } from '../../../provision/kubeadm/patches.ts';
import type { BootedWorld, BuildStep, ClusterWorld } from './build-step.ts';
import { provisionNode } from './provision-node.ts';
import { kubeadmConfig, kubeadmPatches } from './recipe.ts';

/** Makes the control plane on the first node, and the kubeconfig with which the host reaches it. */
export const initCluster: BuildStep<BootedWorld, ClusterWorld> = {
  name: 'kubeadm',
  title: 'kubeadm init',
  run: async (lab, world) => {
    const { host } = lab;
    const [first] = world.guests;
    if (first === undefined) throw new InternalError('a world without nodes');
    const { kubeconfig } = statePaths(host.stateDir).world(world.record.name);
    const patches = Object.entries(kubeadmPatches(world.recipe)).map(([name, text]) => ({
      path: `${PATCHES_DIR}/${name}`,
      text,
    }));
    const config = { path: '/etc/kubernetes/kubeadm.yaml', text: kubeadmConfig(world.recipe), mode: 0o600 };
    await provisionNode(lab, world, first, [...patches, config]);
    const adminConf = await first.must('cat /etc/kubernetes/admin.conf');
    writePrivateText(kubeconfig, forwardKubeconfig(adminConf, world.record.nodes[0]?.apiPort ?? 0));
    return { ...world, kubernetes: await openKubernetes(kubeconfig, host) };
  },
};

/** Turns the guest's admin.conf into one that reaches the API from the host. */
function forwardKubeconfig(adminConf: string, apiPort: number): string {
  return adminConf.replace(/server: https:\/\/\S+/, `server: https://127.0.0.1:${apiPort}`);
}
