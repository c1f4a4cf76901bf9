import { statePaths } from '../../model/paths.ts';
import type { LeaseKind } from '../../model/lease.ts';
import { domainName, worldLibvirtName } from '../../model/machine.ts';
import { connectLibvirt } from '../../drivers/libvirt.ts';
import { createTerraform } from '../../drivers/terraform.ts';
import { pathExists } from '../../drivers/files.ts';
import { removeBelow } from '../../drivers/folders.ts';
import type { Lab } from '../lab.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';

/**
 * Removes one world: its machines through Terraform, then its folder, then its leases. Works on a half-built world,
 * and on one that Terraform can no longer read or remove (somebody removed its pool by hand): then the machines go by
 * name, through libvirt, and Terraform's state goes with the folder.
 *
 * @throws CommandError when libvirt cannot remove a machine either; state and leases then stay for another try.
 */
export async function destroyWorld(lab: Lab, name: string): Promise<void> {
  const { host, leases } = lab;
  const paths = statePaths(host.stateDir).world(name);
  await host.progress.step(`removing world ${name}`, async () => {
    if (pathExists(paths.terraformState)) {
      try {
        await destroyStack(lab, name);
      } catch (error) {
        if (host.signal.aborted) throw error;
        host.progress.note(`Terraform could not remove ${name}: ${(error as Error).message}`);
        host.progress.note('removing its machines by name, through libvirt');
      }
    }
    await removeMachines(lab, name);
    removeBelow(host.stateDir, paths.dir);
    for (const lease of leases.open().filter((each) => each.owner === name)) leases.release(lease.id);
  });
}

async function destroyStack({ host }: Lab, name: string): Promise<void> {
  const paths = statePaths(host.stateDir).world(name);
  const terraform = await ensureTerraform(host);
  const { cliConfig } = await ensureProvider(host, terraform);
  await connectLibvirt(host); // an idle session daemon may have ended since the lab was opened
  await createTerraform({
    run: host.run,
    program: terraform.program,
    cliConfig,
    dir: paths.terraformStack,
    logFile: paths.log,
    signal: host.signal,
  }).destroy();
}

/**
 * Removes what is still there: nothing after Terraform did its work. By leases and by name, whichever was lost; domains
 * go before the pool with their disks.
 */
async function removeMachines({ host, libvirt, leases }: Lab, name: string): Promise<void> {
  const owned = leases.open().filter((each) => each.owner === name);
  const targetsOf = (kind: LeaseKind): string[] =>
    owned.filter((each) => each.kind === kind).map((each) => each.target);
  const libvirtName = worldLibvirtName(host.stateDir, name);
  const named = await libvirt.listDomains(domainName(libvirtName, 'node-'));
  for (const domain of new Set([...targetsOf('domain'), ...named])) await libvirt.undefineDomain(domain);
  for (const pool of new Set([...targetsOf('pool'), libvirtName])) await libvirt.removePool(pool);
}
