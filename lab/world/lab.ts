import { openLeaseBook, type LeaseBook } from '../drivers/leases.ts';
import { connectLibvirt, createLibvirt, type Libvirt } from '../drivers/libvirt.ts';
import { createUndo, type Undo } from '../drivers/undo.ts';
import { loadCatalogue } from '../drivers/catalogue.ts';
import type { Components } from '../model/components.ts';
import type { Host, LibvirtConnection } from '../model/host.ts';
import { statePaths } from '../model/paths.ts';

/** Everything a verb that touches machines works with. */
export interface Lab {
  readonly host: Host;
  readonly catalogue: Components;
  readonly leases: LeaseBook;
  readonly connection: LibvirtConnection;
  readonly libvirt: Libvirt;
  /** Undone in reverse when the verb fails or is interrupted; disarmed step by step as things become whole. */
  readonly undo: Undo;
}

/** Opens the lab on a prepared host (see `prepareHost`). */
export async function openLab(host: Host): Promise<Lab> {
  const connection = await connectLibvirt(host);
  return {
    host,
    catalogue: loadCatalogue(host.projectDir),
    leases: openLeaseBook(statePaths(host.stateDir).leases, host.clock, process.pid),
    connection,
    libvirt: createLibvirt(host.run, connection),
    undo: createUndo(host.clock),
  };
}
