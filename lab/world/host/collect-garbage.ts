import { connectLibvirt, createLibvirt, libvirtUri } from '../../drivers/machines/libvirt.ts';
import { isGone, measureDiskBytes, refuseElsewhere, removeBelow } from '../../drivers/files/folders.ts';
import { openLeaseBook } from '../../drivers/claims/leases.ts';
import { endProcesses } from '../../drivers/processes/processes.ts';
import { awaitTerraform } from '../../drivers/machines/terraform.ts';
import { errorText, HostError } from '../../model/errors/errors.ts';
import type { Host } from '../../model/host/host.ts';
import { LAB_PREFIX } from '../../model/host/machine.ts';
import { statePaths } from '../../model/host/paths.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { removeFolder } from '../../../provision/cache/remove-folder.ts';
import { findLeasedGarbage, findStrays, findUnfinished, orderGarbage, type Garbage } from './garbage.ts';

/** What was (or, in a dry run, would be) removed. */
export interface GarbageReport {
  readonly removed: readonly Garbage[];
  readonly failed: readonly (Garbage & { readonly error: string })[];
  /** Disk that the removed files and folders took. */
  readonly freedBytes: number;
}

/**
 * Removes what dead labs left behind: what their leases name, strays in libvirt, and unfinished work in the cache. A
 * failed removal stays leased. The caller holds the lock.
 */
export async function collectGarbage(host: Host, options: { dryRun: boolean }): Promise<GarbageReport> {
  const failed: (Garbage & { error: string })[] = [];
  const found = [...findLeasedGarbage(host), ...findUnfinished(host)];
  for (const { kind, target } of options.dryRun ? [] : found)
    if (kind === 'terraform') await awaitTerraform(host, target);
  try {
    if (await canAskLibvirt(host, found)) found.push(...(await findStrays(host)));
  } catch (error) {
    failed.push({ kind: 'domain', target: 'all', owner: 'nobody', error: errorText(error) });
  }
  const garbage = orderGarbage(found);
  const freedBytes = measureAll(garbage);
  if (options.dryRun) return { removed: garbage, failed, freedBytes };
  const leases = openLeaseBook(statePaths(host.stateDir).leases, host.clock, process.pid);
  const removed: Garbage[] = [];
  for (const found of garbage) {
    try {
      await REMOVERS[found.kind](host, found);
      if (found.leaseId !== undefined) leases.release(found.leaseId);
      removed.push(found);
    } catch (error) {
      if (host.signal.aborted) throw error;
      failed.push({ ...found, error: errorText(error) });
    }
  }
  const kept = measureAll(garbage);
  return { removed, failed, freedBytes: Math.max(0, freedBytes - kept) };
}

/** Connects to libvirt, which may start its daemon, only when something in it must be removed. */
async function canAskLibvirt(host: Host, found: readonly Garbage[]): Promise<boolean> {
  if (found.some(({ kind }) => kind === 'domain' || kind === 'pool')) {
    await connectLibvirt(host);
    return true;
  }
  try {
    await host.run('virsh', ['-c', libvirtUri(host), 'uri'], {
      timeoutMs: TIME_LIMITS.host.libvirtCheck.ms,
      signal: host.signal,
    });
    return true;
  } catch (error) {
    if (host.signal.aborted) throw error;
    return false; // no daemon, so no machine of ours is known to it
  }
}

type Remover = (host: Host, garbage: Garbage) => Promise<void>;

const REMOVERS: Readonly<Record<Garbage['kind'], Remover>> = {
  process: (host, { target, detail = '' }) => {
    refuseElsewhere(host.stateDir, target);
    return endProcesses(host, detail, target);
  },
  domain: async (host, garbage) => {
    const libvirt = libvirtOf(host, garbage);
    await libvirt.destroyDomain(garbage.target);
    await libvirt.undefineDomain(garbage.target);
  },
  pool: (host, garbage) => libvirtOf(host, garbage).removePool(garbage.target),
  port: () => Promise.resolve(), // the domain that listened on it is gone
  // Its machines are gone by now, through libvirt: the state is of no use any more.
  terraform: (host, { target }) => Promise.resolve(removeBelow(host.stateDir, target)),
  folder: async (host, { target, leaseId, root = host.stateDir }) => {
    if (leaseId !== undefined) return removeBelow(host.stateDir, target);
    refuseElsewhere(root, target);
    return removeFolder(host, target);
  },
};

function libvirtOf(host: Host, { kind, target, detail, root }: Garbage) {
  if (!target.startsWith(LAB_PREFIX) || (root !== undefined && !isGone(root)))
    throw notOurs(`${kind} ${target}`);
  return createLibvirt(host.run, { uri: detail ?? libvirtUri(host) }, host.signal);
}

function notOurs(what: string): HostError {
  return new HostError('LAB_NOT_OURS', `${what} may not be ours: not removed`, {
    tryNext: 'look at it and remove it by hand if it is no longer needed',
  });
}

/** Files and folders only, and none twice: a Terraform folder is in its world's folder. */
function measureAll(garbage: readonly Garbage[]): number {
  const paths = garbage
    .filter(({ kind }) => kind === 'folder' || kind === 'terraform')
    .map(({ target }) => target);
  return [...new Set(paths)]
    .filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
    .reduce((total, path) => total + measureDiskBytes(path), 0);
}
