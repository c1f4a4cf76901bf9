import { openKubernetes } from '../../drivers/kubernetes/kubernetes.ts';
import { InternalError } from '../../model/errors/errors.ts';
import type { Guest, Host } from '../../model/host/host.ts';
import type { StartFailure } from '../../model/declared/matrix.ts';
import { statePaths } from '../../model/host/paths.ts';
import { shellQuote } from '../../model/text/shell.ts';
import { appliesTo } from '../../plan/variants/match-condition.ts';
import type { BuildStep, ClusterWorld, SettledWorld } from '../steps/build-step.ts';
import { changeRuntimeDriver, waitForRebooted } from './change-driver.ts';
import { waitForCluster } from '../steps/cluster-ready.ts';
import { isKillLoop } from '../../model/axes/drivers.ts';
import { handlerOf } from '../../model/axes/runtime.ts';
import type { Lab } from '../lab.ts';
import { checkEffective } from '../oracle/check.ts';
import { driversInEffect, factsInEffect, planExpected } from '../oracle/expected.ts';
import { findOwnPrograms } from '../oracle/own-programs.ts';
import { removeResolvingPods } from '../steps/resolving-pod.ts';
import {
  createRuntimeClass,
  createSandboxPod,
  removeSandboxPod,
  sandboxPodRuns,
  waitForSandboxPod,
} from './sandbox-pods.ts';
import { lookForApiServer, proveStartFailure } from './start-failure.ts';

/** What the matrix declares about the nodes of a variant. */
interface Declared {
  /** That no pod starts, and which text shows it. */
  readonly failure: StartFailure | undefined;
  /** That containers of the control plane are restarted, again and again. */
  readonly restarts: boolean;
}

/**
 * Takes a working cluster to what its variant declares, as far as that comes after `kubeadm init`: a driver mismatch,
 * a RuntimeClass for workloads, sysctls that the kubelet resets at its start. Then reads everything back, while the
 * resolving pods end.
 *
 * Throws DeclaredStartFailure when the variant is declared unable to start pods and has failed in the declared way;
 * HostError LAB_ORACLE when the world is not what its variant declares.
 */
export const settleWorld: BuildStep<ClusterWorld, SettledWorld> = {
  name: 'settle',
  title: 'what the variant adds, and all of it read back',
  run: async (lab, cluster) => {
    const { host, matrix } = lab;
    const { recipe, image, accelerator } = cluster;
    const declared = findDeclared(lab, cluster);
    const hasMismatch = recipe.drivers.kubelet !== recipe.drivers.runtime;
    const world = hasMismatch ? await rebootWithDriver(host, cluster, declared) : cluster;
    const { guests, kubernetes } = world;
    const handler = handlerOf(recipe.runtime);
    if (handler !== undefined) await startSandboxes(host, world, handler, declared.failure);
    await setSysctls(world);
    const [effective] = await Promise.all([
      checkEffective(
        host,
        { name: recipe.name, guests, kubernetes },
        planExpected(
          recipe,
          matrix,
          image.versions,
          accelerator,
          findOwnPrograms(host.cacheDir, image.inputs),
        ),
      ),
      removeResolvingPods(host, kubernetes, namesOf(guests)),
    ]);
    if (handler !== undefined)
      for (const node of namesOf(guests)) await removeSandboxPod(host, kubernetes, node);
    return { ...world, effective, restartsDeclared: declared.restarts };
  },
};

function findDeclared({ matrix }: Lab, { recipe, image }: ClusterWorld): Declared {
  const facts = factsInEffect(recipe, matrix, image.versions);
  return {
    failure: matrix.startFailures.find((declared) => appliesTo(declared, recipe.variant, facts)),
    restarts: isKillLoop(driversInEffect(recipe, matrix, image.versions), recipe.cgroup),
  };
}

/** Gives containerd another cgroup driver than the kubelet's; the world then has new connections. */
async function rebootWithDriver(
  host: Host,
  world: ClusterWorld,
  { failure, restarts }: Declared,
): Promise<ClusterWorld> {
  await removeResolvingPods(host, world.kubernetes, namesOf(world.guests));
  world.kubernetes.close();
  const rebooted = await host.progress.step("containerd's cgroup driver changed, and a reboot", () =>
    changeRuntimeDriver(host, world),
  );
  const guests = rebooted.map(({ guest }) => guest);
  const [control] = guests;
  if (control === undefined) throw new InternalError('a world without nodes');
  if (failure?.pods === 'all') {
    await proveStartFailure(host, {
      guest: control,
      world: world.recipe.name,
      failure,
      lookForStart: () => lookForApiServer(control),
    });
  }
  const { kubeconfig } = statePaths(host.stateDir).world(world.recipe.name);
  const kubernetes = await openKubernetes(kubeconfig, host);
  await waitForRebooted(host, kubernetes, rebooted);
  // A kubelet that restarts the control plane again and again soon kills its pods: such a world is saved now, without
  // waiting for them.
  if (!restarts) await waitForCluster(host, { record: world.record, kubernetes, guests });
  return { ...world, guests, kubernetes };
}

/** Starts a pod under a handler on each node, to be looked at with the rest. */
async function startSandboxes(
  host: Host,
  { recipe, kubernetes, guests }: ClusterWorld,
  handler: string,
  failure: StartFailure | undefined,
): Promise<void> {
  await createRuntimeClass(kubernetes, handler);
  const created = new Map<Guest, Date | undefined>();
  for (const guest of guests) created.set(guest, await createSandboxPod(kubernetes, guest.name, handler));
  for (const [guest, since] of created) {
    if (failure !== undefined) {
      const lookForStart = async (): Promise<string | undefined> =>
        (await sandboxPodRuns(kubernetes, guest.name).look()).done ? 'a pod runs in its sandbox' : undefined;
      await proveStartFailure(host, { guest, world: recipe.name, failure, lookForStart, since });
    }
    await waitForSandboxPod(host, kubernetes, guest.name);
  }
}

/** In one process and in the order given: the first may leave no memory for starting another program. */
async function setSysctls({ recipe, guests }: ClusterWorld): Promise<void> {
  const wanted = Object.entries(recipe.knobs.sysctl ?? {}).map(([name, value]) =>
    shellQuote(`${name}=${value}`),
  );
  if (wanted.length === 0) return;
  for (const guest of guests) await guest.must(`sysctl -w ${wanted.join(' ')}`);
}

function namesOf(guests: readonly Guest[]): string[] {
  return guests.map(({ name }) => name);
}
