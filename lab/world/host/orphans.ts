import { isGone } from '../../drivers/files/folders.ts';
import type { Libvirt } from '../../drivers/machines/libvirt.ts';
import { listOpenFiles, listQemuGuests } from '../../drivers/machines/qemu-guests.ts';
import { findLibvirtPrefix, findStateFolder } from '../../model/host/machine.ts';

/** A domain or a pool by its libvirt name. */
export interface LibvirtThing {
  readonly kind: 'domain' | 'pool';
  readonly target: string;
}

/** What is asked of libvirt. */
type Asked = Pick<Libvirt, 'domainState' | 'findPoolFolder' | 'listDomainFiles'>;

/**
 * Returns those of other labs whose state folder is gone, and that folder: the leases went with it, so no lab is left
 * that removes them. Left out is what may still be somebody's: where the folder is there or may not be looked at, where
 * nothing that it uses is in a folder that its name was made for, and where a machine runs whose disk was not deleted.
 */
export async function findOrphans(
  libvirt: Asked,
  others: readonly LibvirtThing[],
): Promise<(LibvirtThing & { readonly root: string })[]> {
  const prefixes = new Set(others.flatMap(({ target }) => findLibvirtPrefix(target) ?? []));
  const orphans = [];
  for (const prefix of prefixes) {
    const ofOne = others.filter(({ target }) => target.startsWith(prefix));
    const root = await findRoot(libvirt, prefix, ofOne);
    if (root !== undefined && isGone(root) && (await areDisksDeleted(libvirt, ofOne, root)))
      orphans.push(...ofOne.map((thing) => ({ ...thing, root })));
  }
  return orphans;
}

/** The folder that a prefix was made for. It has only one, so the first of these that is in it says which. */
async function findRoot(
  libvirt: Asked,
  prefix: string,
  things: readonly LibvirtThing[],
): Promise<string | undefined> {
  for (const { kind, target } of things) {
    const files =
      kind === 'domain'
        ? await libvirt.listDomainFiles(target)
        : [(await libvirt.findPoolFolder(target)) ?? ''];
    const root = findStateFolder(prefix, files);
    if (root !== undefined) return root;
  }
  return undefined;
}

/**
 * Whether each machine that runs has a file of this state folder open that was deleted. The kernel says so, whatever
 * the folder is called now: it may have been moved with its machines, or be out of sight in a container, where the
 * process of the machine is not seen either.
 */
async function areDisksDeleted(
  libvirt: Asked,
  things: readonly LibvirtThing[],
  root: string,
): Promise<boolean> {
  const guests = listQemuGuests();
  for (const { kind, target } of things) {
    if (kind === 'pool' || (await libvirt.domainState(target)) === 'shut off') continue;
    const files = guests.filter(({ name }) => name === target).flatMap(({ pid }) => listOpenFiles(pid));
    if (!files.some((file) => file.startsWith(`${root}/`) && file.endsWith(' (deleted)'))) return false;
  }
  return true;
}
