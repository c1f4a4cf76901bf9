import { rmSync } from 'node:fs';
import { statePaths } from '../model/paths.ts';
import type { Host } from '../model/host.ts';
import type { LeaseBook } from '../drivers/leases.ts';
import type { Libvirt } from '../drivers/libvirt.ts';
import { createTerraform } from '../drivers/terraform.ts';
import { findText } from '../drivers/files.ts';
import { ensureProvider, ensureTerraform } from '../../provision/components/terraform.ts';
import { join } from 'node:path';

/**
 * Removes one world: its machines through Terraform, then its folder, then its leases. Works on a half-built world.
 *
 * @throws CommandError when Terraform cannot destroy; the leases then stay for `lab gc`.
 */
export async function destroyWorld(host: Host, libvirt: Libvirt, leases: LeaseBook, name: string): Promise<void> {
  const paths = statePaths(host.stateDir).world(name);
  await host.progress.step(`removing world ${name}`, async () => {
    if (findText(join(paths.terraform, 'terraform.tfstate')) !== undefined) {
      const terraform = await ensureTerraform(host);
      const { cliConfig } = await ensureProvider(host, terraform);
      await createTerraform({
        run: host.run,
        program: terraform.program,
        cliConfig,
        dir: paths.terraform,
        logFile: paths.log,
        signal: AbortSignal.timeout(300_000),
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
