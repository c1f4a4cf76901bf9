import { rmSync } from 'node:fs';
import { statePaths } from '../model/paths.ts';
import { createTerraform } from '../drivers/terraform.ts';
import { findText } from '../drivers/files.ts';
import type { Lab } from './lab.ts';
import { ensureProvider, ensureTerraform } from '../../provision/components/terraform.ts';

/**
 * Removes one world: its machines through Terraform, then its folder, then its leases. Works on a half-built world.
 *
 * @throws CommandError when Terraform cannot destroy; the leases then stay for `lab gc`.
 */
export async function destroyWorld(lab: Lab, name: string): Promise<void> {
  const { host, libvirt, leases } = lab;
  const paths = statePaths(host.stateDir).world(name);
  await host.progress.step(`removing world ${name}`, async () => {
    if (findText(paths.terraformState) !== undefined) {
      const terraform = await ensureTerraform(host);
      const { cliConfig } = await ensureProvider(host, terraform);
      await createTerraform({
        run: host.run,
        program: terraform.program,
        cliConfig,
        dir: paths.terraformStack,
        logFile: paths.log,
        signal: host.signal,
      }).destroy();
    }
    for (const lease of leases.open().filter((each) => each.owner === name)) {
      if (lease.kind === 'domain') await libvirt.undefineDomain(lease.target);
      if (lease.kind === 'pool') await libvirt.removePool(lease.target);
    }
    rmSync(paths.dir, { recursive: true, force: true });
    for (const lease of leases.open().filter((each) => each.owner === name)) leases.release(lease.id);
  });
}
