import { connectLibvirt, createLibvirt } from '../../drivers/libvirt.ts';
import { measureDiskBytes, removeBelow } from '../../drivers/folders.ts';
import { openLeaseBook } from '../../drivers/leases.ts';
import { HostError } from '../../model/errors.ts';
import type { Host } from '../../model/host.ts';
import { statePaths } from '../../model/paths.ts';
import { removeWorkFolder } from '../../../provision/image/bake.ts';
import { findLeasedGarbage, findStrays, findUnfinished, orderGarbage, type Garbage } from './garbage.ts';

/** Every name of ours in libvirt begins with this; nothing else is ever touched. */
const OUR_PREFIX = 'whodunit-';

/** What was (or, in a dry run, would be) removed. */
export interface GarbageReport {
  readonly removed: readonly Garbage[];
  readonly failed: readonly (Garbage & { readonly error: string })[];
  /** Disk that the removed files and folders took. */
  readonly freedBytes: number;
}

/**
 * Removes what dead labs left behind: what their leases name, domains and pools of this state folder's name that
 * nobody knows, and unfinished work in the cache. A failed removal stays leased. The caller holds the lock.
 */
export async function collectGarbage(host: Host, options: { dryRun: boolean }): Promise<GarbageReport> {
  const failed: (Garbage & { error: string })[] = [];
  const found = [...findLeasedGarbage(host), ...findUnfinished(host)];
  try {
    if (await canAskLibvirt(host, found)) found.push(...(await findStrays(host)));
  } catch (error) {
    failed.push({ kind: 'domain', target: 'all', owner: 'nobody', error: describe(error) });
  }
  const garbage = orderGarbage(found);
  const freedBytes = measureAll(garbage);
  if (options.dryRun) return { removed: garbage, failed, freedBytes };
  const leases = openLeaseBook(statePaths(host.stateDir).leases, host.clock, process.pid);
  const removed: Garbage[] = [];
  for (const each of garbage) {
    try {
      await REMOVERS[each.kind](host, each);
      if (each.leaseId !== undefined) leases.release(each.leaseId);
      removed.push(each);
    } catch (error) {
      if (host.signal.aborted) throw error;
      failed.push({ ...each, error: describe(error) });
    }
  }
  const kept = measureAll(garbage);
  return { removed, failed, freedBytes: Math.max(0, freedBytes - kept) };
}

/** Starts the daemon only when something in it has to go. */
async function canAskLibvirt(host: Host, found: readonly Garbage[]): Promise<boolean> {
  if (found.some((each) => each.kind === 'domain' || each.kind === 'pool')) {
    await connectLibvirt(host);
    return true;
  }
  try {
    await host.run('virsh', ['-c', uriOf(host), 'uri'], { timeoutMs: 10_000, signal: host.signal });
    return true;
  } catch (error) {
    if (host.signal.aborted) throw error;
    return false; // no daemon, so no machine of ours is known to it
  }
}

type Remover = (host: Host, garbage: Garbage) => Promise<void>;

const REMOVERS: Readonly<Record<Garbage['kind'], Remover>> = {
  domain: async (host, garbage) => {
    const libvirt = libvirtOf(host, garbage);
    await libvirt.destroyDomain(garbage.target);
    await libvirt.undefineDomain(garbage.target);
  },
  pool: (host, garbage) => libvirtOf(host, garbage).removePool(garbage.target),
  port: () => Promise.resolve(), // the domain that listened on it is gone
  // Machines are gone by now, through libvirt; without them the state has nothing left to tell.
  terraform: (host, { target }) => Promise.resolve(removeBelow(host.stateDir, target)),
  folder: async (host, { target, leaseId }) => {
    if (leaseId !== undefined) return removeBelow(host.stateDir, target);
    // A normal user's half-built root file system has files of other ids.
    if (target.includes('/.bake-')) return removeWorkFolder(host, target);
    removeBelow(host.cacheDir, target);
  },
};

function libvirtOf(host: Host, { kind, target, detail }: Garbage) {
  if (!target.startsWith(OUR_PREFIX)) throw notOurs(`${kind} ${target}`);
  return createLibvirt(host.run, { uri: detail ?? uriOf(host) }, host.signal);
}

function uriOf(host: Host): string {
  return host.uid === 0 ? 'qemu:///system' : 'qemu:///session';
}

function notOurs(what: string): HostError {
  return new HostError('LAB_NOT_OURS', `${what} may not be ours: not removed`, {
    tryNext: 'look at it and remove it by hand if it is no longer needed',
  });
}

/** Files and folders only, and none twice: a Terraform folder lies in its world's folder. */
function measureAll(garbage: readonly Garbage[]): number {
  const paths = garbage
    .filter(({ kind }) => kind === 'folder' || kind === 'terraform')
    .map(({ target }) => target);
  return [...new Set(paths)]
    .filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
    .reduce((total, path) => total + measureDiskBytes(path), 0);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lastSeen = error instanceof HostError && error.lastSeen !== undefined ? ` (${error.lastSeen})` : '';
  return `${error.message}${lastSeen}`;
}
