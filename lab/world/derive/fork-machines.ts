import { join } from 'node:path';
import { getText, writePrivateText } from '../../drivers/files.ts';
import { InternalError } from '../../model/errors.ts';
import { diskName } from '../../model/machine.ts';
import { statePaths } from '../../model/paths.ts';
import type { BuildStep, ClusterWorld, ReservedWorld } from '../build/build-step.ts';
import { forwardKubeconfig } from '../build/init-cluster.ts';
import { openRestored } from '../restore/restore.ts';
import type { Lab } from '../lab.ts';
import { parkWorld } from '../run/park.ts';
import { READY_SNAPSHOT, type ReadyRecord, type WorldRecord } from '../world-record.ts';

/** A disk of several GiB. */
const COPY_MS = 20 * 60_000;

/**
 * Gives the machines of a world, which Terraform has just made, the disks and the memory of the machines of its parent,
 * and connects to them. The parent is powered off for it: a disk that a machine writes cannot be copied. The health gate
 * that follows is the one of every restore.
 */
export function forkMachines(parent: ReadyRecord): BuildStep<ReservedWorld, ClusterWorld> {
  return {
    name: 'fork',
    title: `disks and memory of ${parent.name}`,
    run: async (lab, world, update) => {
      const forkedAtMs = lab.host.clock.now();
      await parkWorld(lab, parent);
      await Promise.all(
        world.record.nodes.map(async (node, index) => {
          const source = parent.nodes[index];
          if (source?.name !== node.name) throw new InternalError(`${parent.name} has no node ${node.name}`);
          // It boots since Terraform has made it, from an empty overlay.
          await lab.libvirt.destroyDomain(node.domain);
          update(`copying the disk of ${node.name}`);
          await copyDisk(lab, diskOf(parent, node.name), diskOf(world.record, node.name));
          await lab.libvirt.startSuspended(node.domain);
        }),
      );
      update('loading the memory');
      for (const { domain } of world.record.nodes)
        await lab.libvirt.loadSnapshotInPlace(domain, READY_SNAPSHOT);
      for (const { domain } of world.record.nodes) await lab.libvirt.resume(domain);
      writeKubeconfig(lab, parent, world.record);
      const { guests, kubernetes } = await openRestored(lab, likeParent(parent, world.record), forkedAtMs);
      return { ...world, guests, kubernetes };
    },
  };
}

/** Only clusters that hold something are copied; a file system that can shares them instead. */
async function copyDisk({ host }: Lab, from: string, to: string): Promise<void> {
  await host.run('cp', ['--sparse=always', '--reflink=auto', '--', from, to], { timeoutMs: COPY_MS });
}

function diskOf({ pool }: WorldRecord, node: string): string {
  return join(pool, diskName(node));
}

function writeKubeconfig({ host }: Lab, parent: WorldRecord, record: WorldRecord): void {
  const ofParent = getText(statePaths(host.stateDir).world(parent.name).kubeconfig);
  const { kubeconfig } = statePaths(host.stateDir).world(record.name);
  writePrivateText(kubeconfig, forwardKubeconfig(ofParent, record));
}

/** What the health gate has to find in a fork: what it would find in its parent. */
function likeParent(parent: ReadyRecord, record: WorldRecord): ReadyRecord {
  return {
    ...record,
    state: 'ready',
    restarts: parent.restarts,
    ...(parent.restartsDeclared === undefined ? {} : { restartsDeclared: parent.restartsDeclared }),
    nodes: record.nodes.map((node, index) => {
      const leaseRenewedAt = parent.nodes[index]?.leaseRenewedAt;
      return { ...node, ...(leaseRenewedAt === undefined ? {} : { leaseRenewedAt }) };
    }),
  };
}
