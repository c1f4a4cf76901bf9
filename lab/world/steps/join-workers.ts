import { apiProbe, type Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Probe } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { CREATE_TICKET, parseJoinCommand, renderJoinConfig } from '../../../provision/kubeadm/join.ts';
import type { Lab } from '../lab.ts';
import type { BuildStep, ClusterWorld } from './build-step.ts';
import type { NodePlan } from '../recipe/plan-nodes.ts';
import { provisionNode } from './provision-node.ts';

/** Where kubeadm reads a worker's configuration: `provision/guest/steps/40-kubeadm-join.sh`. */
const JOIN_CONFIG = '/etc/kubernetes/join.yaml';

/**
 * Lets the workers join, one after the other: the controller manager gives pod subnets in the order of registration,
 * and node N must get the one that it is configured for.
 */
export const joinWorkers: BuildStep<ClusterWorld> = {
  name: 'join',
  title: 'kubeadm join',
  run: async (lab, world) => {
    await joinAll(lab, world);
    return world;
  },
};

async function joinAll(lab: Lab, world: ClusterWorld): Promise<void> {
  const { host } = lab;
  const { guests, kubernetes, recipe } = world;
  const [first, ...workers] = guests;
  if (first === undefined) throw new InternalError('a world without nodes');
  // DNS stays on the control plane, so that every answer to a pod of a worker has crossed the network between nodes.
  await host.waitFor(dnsIsPlaced(kubernetes), { timeoutMs: TIME_LIMITS.cluster.dnsIsPlaced.ms });
  const ticket = parseJoinCommand(
    await first.must(CREATE_TICKET, { timeoutMs: TIME_LIMITS.cluster.joinTicket.ms }),
  );
  for (const guest of workers) {
    const node = recipe.nodes.find((planned) => planned.name === guest.name);
    if (node === undefined) throw new InternalError(`node ${guest.name} is not in the recipe`);
    const text = renderJoinConfig({
      kubernetes: recipe.kubernetes,
      nodeName: node.name,
      nodeAddress: node.address,
      ticket,
    });
    await host.progress.step(`${guest.name} joins`, () =>
      provisionNode(lab, world, guest, [{ path: JOIN_CONFIG, text, mode: 0o600 }]),
    );
    await host.waitFor(nodeHasSubnet(kubernetes, node), { timeoutMs: TIME_LIMITS.cluster.subnet.ms });
  }
}

/** Requires that the API has the same pod subnet for a node as the network of the node itself. */
function nodeHasSubnet(kubernetes: Kubernetes, { name, podSubnet }: NodePlan): Probe {
  const look: Probe['look'] = async () => {
    const found = (await kubernetes.core.readNode({ name })).spec?.podCIDR;
    if (found === podSubnet) return { done: true, value: true };
    return { done: false, seen: `podCIDR ${found ?? 'unset'}`, impossible: found !== undefined };
  };
  return apiProbe(
    `${name} to get the pod subnet ${podSubnet}`,
    look,
    'the log of the controller manager says which subnet it gave: `npx whodunit logs`',
  );
}

function dnsIsPlaced(kubernetes: Kubernetes): Probe {
  return apiProbe('the pods of DNS to be placed', async () => {
    const pods = await kubernetes.core.listNamespacedPod({
      namespace: 'kube-system',
      labelSelector: 'k8s-app=kube-dns',
    });
    const waiting = pods.items.filter((pod) => pod.spec?.nodeName === undefined);
    if (pods.items.length > 0 && waiting.length === 0) return { done: true, value: true };
    return { done: false, seen: `${waiting.length} of ${pods.items.length} wait for a node` };
  });
}
