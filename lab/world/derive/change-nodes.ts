import { basename, dirname } from 'node:path';
import type { Kubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import { readBytes } from '../../drivers/files/files.ts';
import type { Artifact } from '../../model/components/components.ts';
import type { Guest } from '../../model/host/host.ts';
import { shellQuote } from '../../model/text/shell.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { planGuestPrograms, planReplacedPackages } from '../../../provision/image/guest-files.ts';
import type { BuildStep, ClusterWorld } from '../steps/build-step.ts';
import { kubeadmFile } from '../steps/init-cluster.ts';
import { writeNodeFiles } from '../recipe/node-files.ts';
import { provisionNode } from '../steps/provision-node.ts';
import { apiAnswers, proxiesAreRemoved } from '../cluster-probes.ts';
import type { Lab } from '../lab.ts';
import type { WorldChange } from './plan-changes.ts';

/**
 * Takes the nodes of a fork to what its variant declares: the same files, written by the same functions, as in a world
 * that is built from its image.
 *
 * @param artifacts of the world.
 */
export function changeNodes(
  changes: readonly WorldChange[],
  artifacts: readonly Artifact[],
): BuildStep<ClusterWorld> {
  return {
    name: 'change',
    title: 'what differs from its parent',
    run: async (lab, world, update) => {
      const has = (wanted: WorldChange['kind']): boolean => changes.some(({ kind }) => kind === wanted);
      const nodes = world.guests.map((guest): ChangedNode => {
        const role = world.recipe.nodes.find(({ name }) => name === guest.name)?.role;
        const says = (what: string): void => update(`${guest.name}: ${what}`);
        return { lab, world, guest, artifacts, says, isWorker: role === 'worker' };
      });
      // The control plane comes first, and nothing goes into the API any more once its pod is gone.
      const [control] = nodes;
      if (has('kubelet') && control !== undefined) await announceKubelet(control);
      if (has('pods')) await removePods(lab, world.kubernetes, nodes);
      for (const node of nodes) {
        for (const change of changes) await changeNode(node, change);
        if (has('pods')) await node.guest.must('systemctl start kubelet');
      }
      return world;
    },
  };
}

/** A node that is changed, and what with. */
interface ChangedNode {
  readonly lab: Lab;
  readonly world: ClusterWorld;
  readonly guest: Guest;
  readonly isWorker: boolean;
  readonly artifacts: readonly Artifact[];
  readonly says: (what: string) => void;
}

async function changeNode(node: ChangedNode, change: WorldChange): Promise<void> {
  switch (change.kind) {
    case 'programs':
      return replacePrograms(node, change.component);
    case 'runtime':
      // The steps of a node look what is there already: only that of the runtime has something to do.
      return provisionNode(node.lab, node.world, node.guest, []);
    case 'kubelet':
      return changeKubelet(node);
    case 'pods': // of all nodes together, before
    case 'workers': // a step of its own: `add-workers.ts`
  }
}

/** The configuration goes into the API, from where workers read theirs. */
async function announceKubelet({ world, guest, says }: ChangedNode): Promise<void> {
  says('the configuration of the kubelet');
  await writeNodeFiles(guest, [kubeadmFile(world.recipe)]);
  await guest.must(UPLOAD_CONFIG, { timeoutMs: TIME_LIMITS.world.kubeadm.ms });
}

/**
 * Removes the containers of all pods with all that they leave on the nodes, while no kubelet runs. That of DNS stays in the
 * API, and so where it is. Those of kube-proxy go, so that only new ones can be ready.
 */
async function removePods(
  { host }: Lab,
  kubernetes: Kubernetes,
  nodes: readonly ChangedNode[],
): Promise<void> {
  for (const { says } of nodes) says('its pods go');
  await Promise.all(
    nodes.map(({ guest }) =>
      guest.must('systemctl stop kubelet', { timeoutMs: TIME_LIMITS.world.podsStop.ms }),
    ),
  );
  await host.waitFor(proxiesAreRemoved(kubernetes), { timeoutMs: TIME_LIMITS.world.podsStop.ms });
  await Promise.all(
    nodes.map(({ guest }) => guest.must(REMOVE_PODS, { timeoutMs: TIME_LIMITS.world.podsStop.ms })),
  );
}

async function changeKubelet({ lab, world, guest, isWorker, says }: ChangedNode): Promise<void> {
  says('the kubelet');
  if (isWorker)
    await lab.host.waitFor(apiAnswers(world.kubernetes, 'a worker'), {
      timeoutMs: TIME_LIMITS.world.apiAgain.ms,
    });
  await guest.must(isWorker ? CHANGE_WORKER : CHANGE_KUBELET, { timeoutMs: TIME_LIMITS.world.kubeadm.ms });
}

async function replacePrograms(
  { guest, artifacts, says }: ChangedNode,
  wanted: Artifact['component'],
): Promise<void> {
  const artifact = artifacts.find(({ component }) => component === wanted);
  const programs = new Map(Object.entries(artifact?.files ?? {}));
  await removePackages(guest, programs);
  for (const [source, target] of planGuestPrograms(programs)) {
    says(basename(target));
    await sendProgram(guest, source, `/${target}`);
  }
}

/** Programs of a package go before a component brings others, as in an image: a running one stays whole. */
async function removePackages(guest: Guest, programs: ReadonlyMap<string, string>): Promise<void> {
  for (const name of planReplacedPackages(programs)) {
    if (name === 'containerd')
      await guest.must('systemctl stop containerd', { timeoutMs: TIME_LIMITS.world.podsStop.ms });
    await guest.must(
      `dpkg -L ${name} | grep -E '^(/usr)?/s?bin/.' | while read -r path; do rm -f "$path"; done`,
    );
  }
}

async function sendProgram(guest: Guest, source: string, target: string): Promise<void> {
  const path = shellQuote(target);
  // A program that runs cannot be written, only replaced.
  const command = `mkdir -p ${shellQuote(dirname(target))} && cat > ${path}.new && chmod 755 ${path}.new && mv ${path}.new ${path}`;
  await guest.feed(command, readBytes(source), { timeoutMs: TIME_LIMITS.world.programSent.ms });
}

/** The configuration of the kubelet in the API, for nodes that join. */
const UPLOAD_CONFIG = 'kubeadm init phase upload-config all --config /etc/kubernetes/kubeadm.yaml 2>&1';

/**
 * The pods go by the runtime that made them. Their logs tell the kubelet how often it has started a container
 * (\`calcRestartCountByLogDir\` in pkg/kubelet/kuberuntime/kuberuntime_container.go). The cgroups of all pods stay when the
 * kubelet stops, with what it has set; it makes them again, by the driver that it then has.
 */
const REMOVE_PODS = `
crictl --timeout ${TIME_LIMITS.world.crictl.ms / 1000}s --runtime-endpoint unix:///run/containerd/containerd.sock rmp --all --force > /dev/null
rm -rf /var/log/pods/* /var/log/containers/*
systemctl stop 'kubepods*.slice'
find /sys/fs/cgroup -depth -type d -path '*/kubepods*' -exec rmdir {} +
`;

/**
 * What `kubeadm init` does for the kubelet of its node. For that kubeadm reloads systemd, which then writes
 * `memory.oom.group` of the scopes of all containers again, as 0 (seen with 252): they get back what the runtime gave them, as
 * in a world whose pods came after the reload.
 */
const CHANGE_KUBELET = `
groups=$(find /sys/fs/cgroup -path '*kubepods*' -name memory.oom.group -exec grep -H . {} +)
kubeadm init phase kubelet-start --config /etc/kubernetes/kubeadm.yaml 2>&1
while read -r line; do
  [ ! -e "\${line%:*}" ] || echo "\${line##*:}" > "\${line%:*}"
done <<< "$groups"
`;

/** What `kubeadm join` does for the kubelet of a worker, once more. */
const CHANGE_WORKER = `
kubeadm upgrade node phase kubelet-config 2>&1
systemctl restart kubelet
`;
