import { InternalError } from '../../model/errors/errors.ts';
import { probeNodes } from '../steps/boot-nodes.ts';
import type { BuildStep, ClusterWorld } from '../steps/build-step.ts';
import { joinWorkers } from '../steps/join-workers.ts';
import { provisionNode } from '../steps/provision-node.ts';
import { connectNodes } from '../connect.ts';

/**
 * Lets those machines of a fork join that its parent does not have; they boot since Terraform has made them. The steps of a
 * node look what is there already: what the others get is names and routes of the new ones.
 */
export const addWorkers: BuildStep<ClusterWorld> = {
  name: 'join',
  title: 'machines that its parent does not have',
  run: async (lab, world) => {
    const known = world.guests.map(({ name }) => name);
    const added = world.record.nodes.map(({ name }) => name).filter((name) => !known.includes(name));
    const guests = await connectNodes(lab, world.record, added);
    await probeNodes.run(lab, { ...world, guests }, () => undefined);
    const [control] = world.guests;
    if (control === undefined) throw new InternalError('a world without nodes');
    await provisionNode(lab, world, control, []);
    return joinWorkers.run(lab, { ...world, guests: [...world.guests, ...guests] }, () => undefined);
  },
};
