import { basename, dirname, join } from 'node:path';
import { findModifiedAt, listBelow } from '../../drivers/files/folders.ts';
import { listFolder, readLines } from '../../drivers/files/files.ts';
import { createLibvirt, libvirtUri } from '../../drivers/machines/libvirt.ts';
import { isProcessAlive } from '../../drivers/processes/liveness.mjs';
import { listTemporaryFolders } from '../../drivers/files/temporary-file.ts';
import type { Host } from '../../model/host/host.ts';
import {
  findUnreadLines,
  LEASE_KINDS,
  openLeases,
  type Lease,
  type LeaseKind,
} from '../../model/host/lease.ts';
import { LAB_PREFIX, libvirtPrefix } from '../../model/host/machine.ts';
import { cachePaths, findMaker, findTemporaryMaker, statePaths } from '../../model/host/paths.ts';
import { readWorldRecord } from '../world-record.ts';
import { findOrphans, type LibvirtThing } from './orphans.ts';

/** Something on the host that no lab needs any more. */
export interface Garbage {
  readonly kind: LeaseKind;
  readonly target: string;
  readonly owner: string;
  readonly detail?: string;
  /** The lease that names it; things found by our name in libvirt or the cache have none. */
  readonly leaseId?: string;
  /**
   * The folder that it is of; left out: the state folder. Files and folders are not removed elsewhere, domains and pools
   * only while it is gone.
   */
  readonly root?: string;
}

/** Returns garbage in the order of removal: what was made last goes first. */
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
        !isProcessAlive(lease.holder, { ranAtMs: Date.parse(lease.at) }) &&
        !readWorldRecord(host.stateDir, lease.owner).isReady,
    )
    .map(({ id, kind, target, owner, detail }) => ({
      kind,
      target,
      owner,
      leaseId: id,
      ...(detail === undefined ? {} : { detail }),
    }));
}

/**
 * Returns domains and pools that bear the name of this state folder and have neither lease nor world, and those of state
 * folders that are gone.
 */
export async function findStrays(host: Host): Promise<Garbage[]> {
  const uri = libvirtUri(host);
  const libvirt = createLibvirt(host.run, { uri }, host.signal);
  const prefix = libvirtPrefix(host.stateDir);
  const known = new Set(readOpenLeases(host.stateDir).map((lease) => `${lease.kind} ${lease.target}`));
  const thing = (kind: LibvirtThing['kind']) => (target: string) => ({ kind, target });
  const found = [
    ...(await libvirt.listDomains(LAB_PREFIX)).map(thing('domain')),
    ...(await libvirt.listPools(LAB_PREFIX)).map(thing('pool')),
  ].filter(({ kind, target }) => !known.has(`${kind} ${target}`));
  const isOwn = ({ target }: LibvirtThing): boolean => target.startsWith(prefix);
  const orphans = await findOrphans(
    libvirt,
    found.filter((other) => !isOwn(other)),
  );
  return [
    ...found.filter(isOwn).map((own) => ({ ...own, owner: 'nobody', detail: uri })),
    ...orphans.map((orphan) => ({ ...orphan, owner: `${orphan.root}, which is gone`, detail: uri })),
  ];
}

/**
 * Returns what dead makers left unfinished: builds and downloads in the cache, files that were being written in the state
 * folder, and temporary folders.
 */
export function findUnfinished({ cacheDir, stateDir }: Pick<Host, 'cacheDir' | 'stateDir'>): Garbage[] {
  const { runs, worlds, registries } = statePaths(stateDir);
  const made = [
    ...Object.values(cachePaths(cacheDir)).flatMap((folder) => listMade(cacheDir, listIn(folder))),
    ...listMade(stateDir, [...listIn(stateDir), ...[runs, worlds, registries].flatMap(listBelow)]),
    ...listTemporaryFolders().map((path) => ({
      path,
      root: dirname(path),
      pid: findTemporaryMaker(basename(path)),
    })),
  ];
  return made
    .filter(({ path, pid }) => {
      const ranAtMs = pid === undefined ? undefined : findModifiedAt(path);
      return pid !== undefined && ranAtMs !== undefined && !isProcessAlive(pid, { ranAtMs });
    })
    .map(({ path, root }) => ({ kind: 'folder', target: path, owner: basename(dirname(path)), root }));
}

function listIn(folder: string): string[] {
  return listFolder(folder).map((name) => join(folder, name));
}

/** Who makes or made something, where its name says so. */
function listMade(root: string, paths: readonly string[]) {
  return paths.map((path) => ({ path, root, pid: findMaker(basename(path)) }));
}

/** Lines of the list of leases that nobody can read, and the file. Absent where there is none. */
export function findUnreadLeases({ stateDir }: Pick<Host, 'stateDir'>): { file: string; line: number }[] {
  const file = statePaths(stateDir).leases;
  return findUnreadLines(readLines(file)).map((line) => ({ file, line }));
}

function readOpenLeases(stateDir: string): Lease[] {
  return openLeases(readLines(statePaths(stateDir).leases));
}
