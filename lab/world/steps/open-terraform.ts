import { connectLibvirt } from '../../drivers/machines/libvirt.ts';
import { createTerraform, type Terraform } from '../../drivers/machines/terraform.ts';
import type { Host } from '../../model/host/host.ts';
import { statePaths } from '../../model/host/paths.ts';
import { ensureProvider, ensureTerraform } from '../../../provision/components/terraform.ts';

/** Terraform over the stack of a world, with a libvirt that answers; what it says goes to the log of the world. */
export async function openTerraform(host: Host, world: string): Promise<Terraform> {
  const paths = statePaths(host.stateDir).world(world);
  const terraform = await ensureTerraform(host);
  const { cliConfig } = await ensureProvider(host, terraform);
  await connectLibvirt(host); // an idle session daemon may have ended since the lab was opened
  return createTerraform({
    run: host.run,
    program: terraform.program,
    cliConfig,
    dir: paths.terraformStack,
    logFile: paths.log,
    signal: host.signal,
  });
}
