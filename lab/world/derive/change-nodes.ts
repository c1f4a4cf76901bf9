import { basename } from 'node:path';
import { readBytes } from '../../drivers/files.ts';
import type { Artifact } from '../../model/components.ts';
import type { Guest } from '../../model/host.ts';
import { shellQuote } from '../../model/shell.ts';
import { planGuestPrograms } from '../../../provision/image/guest-files.ts';
import type { BuildStep, ClusterWorld } from '../build/build-step.ts';
import { kubeadmFile } from '../build/init-cluster.ts';
import { writeNodeFiles } from '../build/node-files.ts';
import { provisionNode } from '../build/provision-node.ts';
import type { Change } from './plan-changes.ts';

/** A program of a hundred MiB through the SSH of an emulated node. */
const SEND_MS = 5 * 60_000;
const KUBEADM_MS = 5 * 60_000;

/**
 * Takes the nodes of a fork to what its variant declares: the same files, written by the same functions, as in a world
 * that is built from its image.
 *
 * @param artifacts of the world.
 */
export function changeNodes(
  changes: readonly Change[],
  artifacts: readonly Artifact[],
): BuildStep<ClusterWorld> {
  return {
    name: 'change',
    title: 'what differs from its parent',
    run: async (lab, world, update) => {
      for (const guest of world.guests) {
        for (const change of changes) {
          if (change.kind === 'programs') {
            const artifact = artifacts.find(({ component }) => component === change.component);
            await sendPrograms(guest, artifact, update);
          }
          // The steps of a node look what is there already: only that of the runtime has something to do.
          if (change.kind === 'runtime') await provisionNode(lab, world, guest, []);
          if (change.kind === 'kubelet') {
            update(`${guest.name}: the kubelet`);
            await changeKubelet(world, guest);
          }
        }
      }
      return world;
    },
  };
}

/** The control plane comes first: it takes the configuration into the API, from where the workers read theirs. */
async function changeKubelet({ recipe }: ClusterWorld, guest: Guest): Promise<void> {
  const isWorker = recipe.nodes.find(({ name }) => name === guest.name)?.role === 'worker';
  if (!isWorker) await writeNodeFiles(guest, [kubeadmFile(recipe)]);
  await guest.must(isWorker ? CHANGE_WORKER : CHANGE_KUBELET, { timeoutMs: KUBEADM_MS });
}

async function sendPrograms(
  guest: Guest,
  artifact: Artifact | undefined,
  update: (detail: string) => void,
): Promise<void> {
  const programs = new Map(Object.entries(artifact?.files ?? {}));
  for (const [source, target] of planGuestPrograms(programs)) {
    update(`${guest.name}: ${basename(target)}`);
    const path = shellQuote(`/${target}`);
    // A program that runs cannot be written, only replaced.
    const command = `cat > ${path}.new && chmod 755 ${path}.new && mv ${path}.new ${path}`;
    await guest.feed(command, readBytes(source), { timeoutMs: SEND_MS });
  }
}

/**
 * What `kubeadm init` does for the kubelet: its configuration in the API for nodes that join, and on this node. For that
 * kubeadm reloads systemd, which then writes `memory.oom.group` of the scopes of all containers anew, as 0 (seen with
 * 252): they get back what the runtime gave them, as in a world whose pods came after the reload.
 */
const CHANGE_KUBELET = `
config=/etc/kubernetes/kubeadm.yaml
groups=$(find /sys/fs/cgroup -path '*kubepods*' -name memory.oom.group -exec grep -H . {} +)
kubeadm init phase upload-config all --config "$config" 2>&1
kubeadm init phase kubelet-start --config "$config" 2>&1
while read -r line; do
  [ ! -e "\${line%:*}" ] || echo "\${line##*:}" > "\${line%:*}"
done <<< "$groups"
`;

/** What `kubeadm join` does for the kubelet of a worker, once more. */
const CHANGE_WORKER = `
kubeadm upgrade node phase kubelet-config 2>&1
systemctl restart kubelet
`;
