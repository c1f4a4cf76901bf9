import { statePaths } from '../../model/host/paths.ts';
import { bootProbes } from '../../../provision/probes/node-probes.ts';
import { connectAll } from '../connect.ts';
import type { BootedWorld, BuildStep, ReservedWorld } from './build-step.ts';
import { waitForNode } from './cluster-ready.ts';

/** Waits until every node answers SSH. */
export const bootNodes: BuildStep<ReservedWorld, BootedWorld> = {
  name: 'boot',
  title: 'boot to SSH',
  run: async (lab, world) => ({ ...world, guests: await connectAll(lab, world.record) }),
};

/** Waits until every node has booted into what the variant asks for. */
export const probeNodes: BuildStep<BootedWorld> = {
  name: 'probes',
  title: 'what a booted node has to be',
  run: async ({ host }, world) => {
    const paths = statePaths(host.stateDir).world(world.record.name);
    const probes = bootProbes(world.recipe.cgroup);
    await Promise.all(
      world.guests.map((guest) => waitForNode(host, guest, probes, paths.console(guest.name))),
    );
    return world;
  },
};
