import { HostError } from '../../model/errors/errors.ts';
import { statePaths } from '../../model/host/paths.ts';
import type { Lease, LeaseKind } from '../../model/host/lease.ts';
import { domainName, worldLibvirtName } from '../../model/host/machine.ts';
import { pathExists } from '../../drivers/files/files.ts';
import { removeBelow } from '../../drivers/files/folders.ts';
import { awaitTerraform } from '../../drivers/machines/terraform.ts';
import type { Lab } from '../lab.ts';
import { markUnfinished } from '../world-record.ts';
import { openTerraform } from './open-terraform.ts';

/** Leases that represent the machines of a world. */
const MACHINE_LEASES: ReadonlySet<LeaseKind> = new Set(['domain', 'pool', 'terraform']);

/**
 * Removes one world, also a half-built one and one of another lab process: its machines, then its folder.
 *
 * @throws CommandError when a machine cannot be removed; state and leases then stay for another try.
 */
export async function destroyWorld(lab: Lab, name: string): Promise<void> {
  await lab.host.progress.step(`removing world ${name}`, async () => {
    markUnfinished(lab.host.stateDir, name);
    await removeMachines(lab, name);
    removeWorldFolder(lab, name);
  });
}

/**
 * Removes the machines of a world through Terraform, and releases them. Where Terraform can no longer read or remove them
 * (somebody removed their pool by hand) they go by name, through libvirt; Terraform's state then goes with the folder.
 *
 * @throws CommandError when libvirt cannot remove a machine either.
 */
export async function removeMachines(lab: Lab, name: string): Promise<void> {
  const { host, leases } = lab;
  const { terraform, terraformState } = statePaths(host.stateDir).world(name);
  await awaitTerraform(host, terraform);
  if (pathExists(terraformState)) {
    try {
      await (await openTerraform(host, name)).destroy();
    } catch (error) {
      if (host.signal.aborted) throw error;
      host.progress.note(`Terraform could not remove ${name}: ${(error as Error).message}`);
      host.progress.note('removing its machines by name, through libvirt');
    }
  }
  await removeByName(lab, name);
  for (const lease of listMachineLeases(lab, name)) leases.release(lease.id);
}

/**
 * Removes the folder of a world without machines, and releases all that is leased for it.
 *
 * @throws HostError LAB_LIBVIRT when a machine is still leased: the folder holds all that is known of it.
 */
export function removeWorldFolder(lab: Lab, name: string): void {
  const { host, leases } = lab;
  const [left] = listMachineLeases(lab, name);
  if (left !== undefined) {
    throw new HostError('LAB_LIBVIRT', `world ${name} still has its ${left.kind} ${left.target}`, {
      tryNext: `npx whodunit down ${name}`,
    });
  }
  removeBelow(host.stateDir, statePaths(host.stateDir).world(name).dir);
  for (const lease of leases.open().filter(({ owner }) => owner === name)) leases.release(lease.id);
}

function listMachineLeases({ leases }: Lab, name: string): Lease[] {
  return leases.open().filter(({ owner, kind }) => owner === name && MACHINE_LEASES.has(kind));
}

/**
 * Removes what Terraform has left; nothing when it did its work. Goes by leases and by names, as either may be lost.
 * Domains go before the pool, which has their disks.
 */
async function removeByName({ host, libvirt, leases }: Lab, name: string): Promise<void> {
  const owned = leases.open().filter((lease) => lease.owner === name);
  const targetsOf = (kind: LeaseKind): string[] =>
    owned.filter((lease) => lease.kind === kind).map((lease) => lease.target);
  const libvirtName = worldLibvirtName(host.stateDir, name);
  const named = await libvirt.listDomains(domainName(libvirtName, 'node-'));
  for (const domain of new Set([...targetsOf('domain'), ...named])) await libvirt.undefineDomain(domain);
  for (const pool of new Set([...targetsOf('pool'), libvirtName])) await libvirt.removePool(pool);
}
