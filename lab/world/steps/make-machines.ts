import { InternalError } from '../../model/errors/errors.ts';
import { worldLibvirtName, type WorldStack } from '../../model/host/machine.ts';
import { statePaths } from '../../model/host/paths.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { Lab } from '../lab.ts';
import type { BuildStep, ReservedWorld } from './build-step.ts';
import { removeMachines } from './destroy.ts';
import { lanMachine } from './lan.ts';
import { kernelArguments } from '../recipe/recipe.ts';
import { openTerraform } from './open-terraform.ts';

/** Makes the machines of a world through Terraform, and leases each of them first. */
export const makeMachines: BuildStep<ReservedWorld> = {
  name: 'machines',
  title: 'machines through Terraform',
  run: async (lab, world, update) => {
    leaseMachines(lab, world);
    await applyStack(lab, world, update);
    return world;
  },
  undo: {
    title: 'remove the machines of',
    timeoutMs: TIME_LIMITS.world.removeMachines.ms,
    run: removeMachines,
  },
};

function leaseMachines({ host, leases, connection }: Lab, { record }: ReservedWorld): void {
  const owner = record.name;
  leases.take('terraform', statePaths(host.stateDir).world(owner).terraform, owner);
  leases.take('pool', worldLibvirtName(host.stateDir, owner), owner, connection.uri);
  for (const { domain } of record.nodes) leases.take('domain', domain, owner, connection.uri);
}

async function applyStack(lab: Lab, world: ReservedWorld, update: (detail: string) => void): Promise<void> {
  const { host } = lab;
  const paths = statePaths(host.stateDir).world(world.record.name);
  const { synthWorld } = await import('../../../stacks/synth-world.ts');
  update('synthesising');
  synthWorld(planStack(lab, world), paths.terraform);
  const terraform = await openTerraform(host, world.record.name);
  update('init');
  await terraform.init();
  update('apply');
  await terraform.apply();
}

/** Describes the machines of a world for the stack. */
function planStack({ host, connection }: Lab, world: ReservedWorld): WorldStack {
  const { recipe, image, accelerator, record } = world;
  const paths = statePaths(host.stateDir).world(record.name);
  const libvirtName = worldLibvirtName(host.stateDir, record.name);
  return {
    name: libvirtName,
    poolFolder: record.pool,
    providerUri: connection.providerUri,
    accelerator,
    uid: host.uid,
    gid: host.gid,
    ...(record.lan === undefined ? {} : { lan: record.lan }),
    nodes: record.nodes.map((node, index) => {
      const recipeNode = recipe.nodes.find((planned) => planned.name === node.name);
      if (recipeNode === undefined) throw new InternalError(`node ${node.name} is not in the recipe`);
      const extra = lanMachine(host, record, { name: node.name, index });
      return {
        ...extra,
        name: node.name,
        memoryMiB: recipeNode.memoryMiB,
        vcpus: recipeNode.vcpus,
        diskGiB: recipeNode.diskGiB,
        base: image.base,
        kernel: image.kernel,
        initrd: image.initrd,
        cmdline: [...kernelArguments(recipe, accelerator), ...extra.cmdline],
        sshPort: node.sshPort,
        ...(node.apiPort === undefined ? {} : { apiPort: node.apiPort }),
        consoleLog: paths.console(node.name),
      };
    }),
  };
}
