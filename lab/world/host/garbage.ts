import { basename, join } from 'node:path';
import { findModifiedAt } from '../../drivers/folders.ts';
import { listFolder, readLines } from '../../drivers/files.ts';
import { createLibvirt } from '../../drivers/libvirt.ts';
import { isHolderAlive } from '../../drivers/processes.ts';
import type { Host } from '../../model/host.ts';
import { LEASE_KINDS, openLeases, type Lease, type LeaseKind } from '../../model/lease.ts';
import { libvirtPrefix } from '../../model/machine.ts';
import { cachePaths, statePaths } from '../../model/paths.ts';
import { readWorldRecord } from '../world-record.ts';

/** Something on the host that nobody needs any more. */
export interface Garbage {
  readonly kind: LeaseKind;
  readonly target: string;
  readonly owner: string;
  readonly detail?: string;
  /** The lease that names it; things found by our name in libvirt or the cache have none. */
  readonly leaseId?: string;
}

/** Returns garbage in the order of removal, what was made last first. */
export function orderGarbage(garbage: readonly Garbage[]): Garbage[] {
  return [...garbage].reverse().sort((a, b) => LEASE_KINDS.indexOf(a.kind) - LEASE_KINDS.indexOf(b.kind));
}

/**
 * Returns what the leases of dead labs name. Not garbage: what a living lab holds, and what belongs to a world that
 * was brought up and is meant to stay (its record says `ready`; one that cannot be read belongs to a world that nobody
 * can use).
 */
export function findLeasedGarbage(host: Pick<Host, 'stateDir'>): Garbage[] {
  return readOpenLeases(host.stateDir)
    .filter(
      (lease) =>
        !isHolderAlive(lease.holder, Date.parse(lease.at)) &&
        !readWorldRecord(host.stateDir, lease.owner).isReady,
    )
    .map(({ id, kind, target, owner, detail }) => ({
      ...{ kind, target, owner, leaseId: id },
      ...(detail === undefined ? {} : { detail }),
    }));
}

/** Returns domains and pools that bear the name of this state folder, but that no lease and no world knows. */
export async function findStrays(host: Host): Promise<Garbage[]> {
  const uri = host.uid === 0 ? 'qemu:///system' : 'qemu:///session';
  const libvirt = createLibvirt(host.run, { uri }, host.signal);
  const prefix = libvirtPrefix(host.stateDir);
  const known = new Set(readOpenLeases(host.stateDir).map((lease) => `${lease.kind} ${lease.target}`));
  const stray = (kind: LeaseKind) => (target: string) => ({ kind, target, owner: 'nobody', detail: uri });
  const found = [
    ...(await libvirt.listDomains(prefix)).map(stray('domain')),
    ...(await libvirt.listPools(prefix)).map(stray('pool')),
  ];
  return found.filter((each) => !known.has(`${each.kind} ${each.target}`));
}

/** Work folders and files in the cache, with the pid of their maker in the name. */
const UNFINISHED = [/^\.(?:building|bake|registry)-(\d+)(?:-|$)/, /\.(\d+)\.tmp$/];

/** Returns unfinished builds and downloads in the cache whose maker is dead. */
export function findUnfinished(host: Pick<Host, 'cacheDir'>): Garbage[] {
  return Object.values(cachePaths(host.cacheDir)).flatMap((folder) =>
    listFolder(folder)
      .filter((name) => {
        const pid = UNFINISHED.map((pattern) => pattern.exec(name)?.[1]).find((match) => match !== undefined);
        const at = findModifiedAt(join(folder, name));
        return pid !== undefined && at !== undefined && !isHolderAlive(Number(pid), at);
      })
      .map((name) => ({ kind: 'folder' as const, target: join(folder, name), owner: basename(folder) })),
  );
}

function readOpenLeases(stateDir: string): Lease[] {
  return openLeases(readLines(statePaths(stateDir).leases));
}
