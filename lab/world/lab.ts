import { claimsFolder } from '../drivers/claims/claims.ts';
import { openPortRegister, type PortRegister } from '../drivers/claims/lease-ports.ts';
import { openLeaseBook, type LeaseBook } from '../drivers/claims/leases.ts';
import { connectLibvirt, createLibvirt, type Libvirt } from '../drivers/machines/libvirt.ts';
import { createUndo, type Undo } from '../drivers/undo.ts';
import type { Matrix } from '../model/declared/matrix.ts';
import type { Components } from '../model/components/components.ts';
import type { Host, LibvirtConnection } from '../model/host/host.ts';
import type { Config } from '../plan/config/parse-config.ts';
import { statePaths } from '../model/host/paths.ts';

/** Everything a verb that touches machines works with. */
export interface Lab {
  readonly host: Host;
  readonly catalogue: Components;
  readonly matrix: Matrix;
  readonly leases: LeaseBook;
  readonly ports: PortRegister;
  readonly connection: LibvirtConnection;
  readonly libvirt: Libvirt;
  /** Runs in reverse order when the verb fails or is interrupted. Forgets a world as soon as it is whole. */
  readonly undo: Undo;
}

/** The same host with another abort signal. */
export function hostWithSignal(host: Host, signal: AbortSignal): Host {
  return {
    ...host,
    run: (program, args, options) => host.run(program, args, { signal, ...options }),
    waitFor: (look, options) => host.waitFor(look, { signal, ...options }),
    signal,
  };
}

/** The same lab with another abort signal: undoing must go on after the user's interrupt. */
export function labWithSignal(lab: Lab, signal: AbortSignal): Lab {
  const host = hostWithSignal(lab.host, signal);
  return { ...lab, host, libvirt: createLibvirt(host.run, lab.connection) };
}

/** Opens the lab on a prepared host (see `prepareHost`). */
export async function openLab(host: Host, { matrix, catalogue }: Config): Promise<Lab> {
  const connection = await connectLibvirt(host);
  const leases = openLeaseBook(statePaths(host.stateDir).leases, host.clock, process.pid);
  return {
    host,
    catalogue,
    matrix,
    leases,
    ports: openPortRegister(claimsFolder(host.uid), host, leases),
    connection,
    libvirt: createLibvirt(host.run, connection),
    undo: createUndo(host.clock),
  };
}
