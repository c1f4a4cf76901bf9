import { join } from 'node:path';
import { findStamp, getText, writePrivateText } from '../../drivers/files/files.ts';
import { HostError, InternalError } from '../../model/errors/errors.ts';
import { diskName } from '../../model/host/machine.ts';
import { doTogether } from '../../model/work/together.ts';
import { statePaths } from '../../model/host/paths.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import type { BuildStep, ClusterWorld, ReservedWorld } from '../steps/build-step.ts';
import { forwardKubeconfig } from '../steps/init-cluster.ts';
import { openRestored } from '../restore/restore.ts';
import { labWithSignal, type Lab } from '../lab.ts';
import { parkWorld } from '../restore/park.ts';
import { loadReady } from '../restore/snapshots.ts';
import type { ReadyRecord, WorldRecord } from '../world-record.ts';

/**
 * Gives the machines of a world, which Terraform has just made, the disks and the memory of the machines of its parent,
 * and connects to these; others boot meanwhile. The parent is powered off for it: a disk that a machine writes cannot be
 * copied. The health gate that follows is the one of every restore.
 */
export function forkMachines(parent: ReadyRecord): BuildStep<ReservedWorld, ClusterWorld> {
  return {
    name: 'fork',
    title: `disks and memory of ${parent.name}`,
    run: async (lab, world, update) => {
      const forkedAtMs = lab.host.clock.now();
      const forked = likeParent(parent, world.record);
      const { nodes } = forked;
      await parkWorld(lab, parent);
      // When one fails the others are ended and waited for: nothing writes any more when the machines are taken back.
      await doTogether(
        nodes.map((node) => async (signal) => {
          update(`copying the disk of ${node.name}`);
          await forkDisk(labWithSignal(lab, signal), parent, { record: world.record, node });
        }),
        { atOnce: nodes.length, signal: lab.host.signal },
      );
      update('loading the memory');
      await loadReady(
        lab.libvirt,
        nodes.map(({ domain }) => domain),
      );
      writeKubeconfig(lab, parent, world.record);
      const { guests, kubernetes } = await openRestored(lab, forked, forkedAtMs);
      return { ...world, guests, kubernetes };
    },
  };
}

/**
 * Copies the disk of a node of the parent to a node of the world, which is off then.
 *
 * @throws HostError LAB_SNAPSHOT when the parent has no such disk, or somebody used it meanwhile.
 */
async function forkDisk(
  lab: Lab,
  parent: ReadyRecord,
  { record, node }: { readonly record: WorldRecord; readonly node: WorldRecord['nodes'][number] },
): Promise<void> {
  const source = parent.nodes.find(({ name }) => name === node.name);
  if (source === undefined) throw new InternalError(`${parent.name} has no node ${node.name}`);
  // It boots since Terraform has made it, from an empty overlay.
  await lab.libvirt.destroyDomain(node.domain);
  const from = diskOf(parent, node.name);
  const before = findStamp(from);
  if (before === undefined) throw unusable(parent, `${from} is not there any more`);
  await copyDisk(lab, from, diskOf(record, node.name));
  // The lock keeps other labs away from the parent, but nobody who starts its machines by hand.
  if (findStamp(from) !== before) throw unusable(parent, `${from} was written to while it was copied`);
  const state = await lab.libvirt.domainState(source.domain);
  if (state !== 'shut off' && state !== undefined)
    throw unusable(parent, `${source.domain} is ${state}: somebody started it while its disk was copied`);
}

function unusable({ name }: ReadyRecord, lastSeen: string): HostError {
  return new HostError('LAB_SNAPSHOT', `the machines of ${name} could not be copied: ${lastSeen}`, {
    lastSeen,
    tryNext: `npx whodunit down ${name}`,
  });
}

/** Only clusters that hold something are copied; a file system that can shares them instead. */
async function copyDisk({ host }: Lab, from: string, to: string): Promise<void> {
  await host.run('cp', ['--sparse=always', '--reflink=auto', '--', from, to], {
    timeoutMs: TIME_LIMITS.world.diskCopy.ms,
  });
}

function diskOf({ pool }: WorldRecord, node: string): string {
  return join(pool, diskName(node));
}

function writeKubeconfig({ host }: Lab, parent: WorldRecord, record: WorldRecord): void {
  const ofParent = getText(statePaths(host.stateDir).world(parent.name).kubeconfig);
  const { kubeconfig } = statePaths(host.stateDir).world(record.name);
  writePrivateText(kubeconfig, forwardKubeconfig(ofParent, record));
}

/** What the health gate has to find in a fork: what it would find in its parent, on the machines that this has. */
export function likeParent(parent: ReadyRecord, record: WorldRecord): ReadyRecord {
  return {
    ...record,
    state: 'ready',
    restarts: parent.restarts,
    ...(parent.restartsDeclared === undefined ? {} : { restartsDeclared: parent.restartsDeclared }),
    nodes: parent.nodes.flatMap(({ name, leaseRenewedAt }) =>
      record.nodes
        .filter((node) => node.name === name)
        .map((node) => ({ ...node, ...(leaseRenewedAt === undefined ? {} : { leaseRenewedAt }) })),
    ),
  };
}
