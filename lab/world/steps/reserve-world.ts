import { ensureFolder, writeJsonAtomic } from '../../drivers/files/files.ts';
import { domainName, worldLibvirtName } from '../../model/host/machine.ts';
import { statePaths } from '../../model/host/paths.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { Lab } from '../lab.ts';
import type { WorldRecord } from '../world-record.ts';
import type { BuildInput, BuildStep, ReservedWorld } from './build-step.ts';
import { removeWorldFolder } from './destroy.ts';
import { lanIdentity, reserveLan } from './lan.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';

/** Chooses the names of the world on the host and its ports, and makes its folder with the record. */
export const reserveWorld: BuildStep<BuildInput, ReservedWorld> = {
  name: 'reserve',
  title: 'folder and ports',
  run: async (lab, input) => {
    const paths = statePaths(lab.host.stateDir).world(input.recipe.name);
    lab.leases.take('folder', paths.dir, input.recipe.name);
    ensureFolder(paths.dir);
    const record = await planRecord(lab, input, paths.pool);
    writeJsonAtomic(paths.record, record);
    return { ...input, record };
  },
  undo: {
    title: 'remove the folder of',
    timeoutMs: TIME_LIMITS.world.removeFolder.ms,
    run: async (lab, world) => removeWorldFolder(lab, world),
  },
};

async function planRecord(lab: Lab, input: BuildInput, pool: string): Promise<WorldRecord> {
  const { recipe, image } = input;
  const libvirtName = worldLibvirtName(lab.host.stateDir, recipe.name);
  const leased = await lab.ports.lease(recipe.name, recipe.nodes.length + 1);
  const ports = leased.map(({ port }) => port);
  const identity = input.parent === undefined ? libvirtName : lanIdentity(lab.host, input.parent);
  const lan = await reserveLan(libvirtName, identity, recipe.nodes.length);
  if (lan !== undefined) lab.leases.take('port', String(lan.port), recipe.name);
  return {
    formatVersion: FORMAT_VERSION,
    name: recipe.name,
    variant: recipe.variant,
    state: 'building',
    key: input.key,
    inputs: { ...input.inputs },
    image: { digest: image.digest, dir: image.dir, sshKey: image.sshKey, hostKey: image.hostKey },
    kubernetes: recipe.kubernetes,
    accelerator: input.accelerator,
    libvirtUri: lab.connection.uri,
    pool,
    ...(lan === undefined ? {} : { lan }),
    ...(input.lane === undefined ? {} : { lane: input.lane }),
    nodes: recipe.nodes.map((node, index) => ({
      name: node.name,
      domain: domainName(libvirtName, node.name),
      sshPort: ports[index] ?? 0,
      ...(index === 0 ? { apiPort: ports.at(-1) ?? 0 } : {}),
      memoryMiB: node.memoryMiB,
    })),
    restarts: 0,
    createdAt: new Date(lab.host.clock.now()).toISOString(),
    timings: {},
  };
}
