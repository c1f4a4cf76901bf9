import { openKubernetes, type Kubernetes } from '../../drivers/kubernetes.ts';
import type { Effective } from '../../model/effective.ts';
import { InternalError } from '../../model/errors.ts';
import type { Guest } from '../../model/host.ts';
import { statePaths } from '../../model/paths.ts';
import { shellQuote } from '../../model/shell.ts';
import { appliesTo } from '../../plan/match-condition.ts';
import type { BuildInput } from '../build/build.ts';
import { changeRuntimeDriver, waitForRebooted } from './change-driver.ts';
import { waitForCluster } from '../build/cluster-ready.ts';
import { isKillLoop } from './drivers.ts';
import type { Lab } from '../lab.ts';
import { checkEffective } from '../oracle/check.ts';
import { driversInEffect, factsInEffect, planExpected } from '../oracle/expected.ts';
import { removeResolvingPods } from '../build/resolving-pod.ts';
import {
  createRuntimeClass,
  createSandboxPod,
  removeSandboxPod,
  sandboxPodRuns,
  waitForSandboxPod,
} from './sandbox-pods.ts';
import { lookForApiServer, proveStartFailure } from './start-failure.ts';

/** A cluster that works, and how to connect to it anew. */
export interface Unsettled {
  readonly guests: readonly Guest[];
  readonly kubernetes: Kubernetes;
  readonly reconnect: () => Promise<Guest[]>;
}

/** A cluster that is what its variant declares. */
export interface Settled {
  readonly guests: readonly Guest[];
  readonly kubernetes: Kubernetes;
  readonly effective: Effective;
  /** Whether the variant itself restarts containers of the control plane, again and again. */
  readonly restartsDeclared: boolean;
}

/**
 * Takes a working cluster to what its variant declares, as far as that comes after `kubeadm init`: a driver mismatch,
 * the RuntimeClass of gVisor, sysctls that the kubelet resets at its start. Then reads everything back, while the
 * resolving pods end.
 *
 * @throws DeclaredStartFailure when the variant is declared unable to start pods, and was; HostError LAB_ORACLE when the
 *   world is not what its variant declares.
 */
export async function settleWorld(lab: Lab, input: BuildInput, cluster: Unsettled): Promise<Settled> {
  const { host, matrix } = lab;
  const { recipe, image } = input;
  const facts = factsInEffect(recipe, matrix, image.versions);
  const failure = matrix.startFailures.find((each) => appliesTo(each, recipe.variant, facts));
  const restartsDeclared = isKillLoop(driversInEffect(recipe, matrix, image.versions), recipe.cgroup);
  let { guests, kubernetes } = cluster;
  const [first] = guests;
  if (first === undefined) throw new InternalError('a world without nodes');

  if (recipe.drivers.kubelet !== recipe.drivers.runtime) {
    await removeResolvingPods(host, kubernetes, namesOf(guests));
    kubernetes.close();
    const rebooted = await host.progress.step("containerd's cgroup driver changed, and a reboot", () =>
      changeRuntimeDriver(host, recipe, image, guests, cluster.reconnect),
    );
    guests = rebooted.map(({ guest }) => guest);
    const control = guests[0] ?? first;
    if (failure !== undefined) {
      await proveStartFailure(host, control, recipe.name, failure, () => lookForApiServer(control));
    }
    kubernetes = await openKubernetes(statePaths(host.stateDir).world(recipe.name).kubeconfig, host);
    await waitForRebooted(host, kubernetes, rebooted);
    // Where the kubelet is about to kill them, no pod of the control plane is waited for: this is the moment to save.
    if (!restartsDeclared) {
      const log = statePaths(host.stateDir).world(recipe.name).console(control.name);
      await waitForCluster(host, kubernetes, guests, log);
    }
  }

  const sandboxes = recipe.runtime.name === 'runsc' ? namesOf(guests) : [];
  if (sandboxes.length > 0) await createRuntimeClass(kubernetes);
  for (const node of sandboxes) await createSandboxPod(kubernetes, node);
  for (const [index, node] of sandboxes.entries()) {
    const guest = guests[index] ?? first;
    if (failure !== undefined) {
      await proveStartFailure(host, guest, recipe.name, failure, async () =>
        (await sandboxPodRuns(kubernetes, node).look()).done ? 'a pod runs in its sandbox' : undefined,
      );
    }
    await waitForSandboxPod(host, kubernetes, node);
  }
  const sysctl = Object.entries(recipe.knobs.sysctl ?? {});
  for (const guest of guests) {
    if (sysctl.length > 0)
      // In one process and in the order given: the first may leave no memory for starting another program.
      await guest.must(
        `sysctl -w ${sysctl.map(([name, value]) => shellQuote(`${name}=${value}`)).join(' ')}`,
      );
  }
  const expected = planExpected(recipe, matrix, image.versions, input.accelerator);
  const [effective] = await Promise.all([
    checkEffective(host, { name: recipe.name, guests, kubernetes }, expected),
    removeResolvingPods(host, kubernetes, namesOf(guests)),
  ]);
  for (const node of sandboxes) await removeSandboxPod(host, kubernetes, node);
  return { guests, kubernetes, effective, restartsDeclared };
}

function namesOf(guests: readonly Guest[]): string[] {
  return guests.map(({ name }) => name);
}
