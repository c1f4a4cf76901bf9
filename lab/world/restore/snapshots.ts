import type { Libvirt } from '../../drivers/machines/libvirt.ts';
import { READY_SNAPSHOT } from '../world-record.ts';

/** What saving and loading a world needs of libvirt. */
type Machines = Pick<
  Libvirt,
  | 'domainState'
  | 'suspend'
  | 'resume'
  | 'startSuspended'
  | 'createSnapshot'
  | 'revertSnapshot'
  | 'loadSnapshotInPlace'
  | 'limitReads'
>;

/**
 * Saves the machines of one world as they are at one moment: all are paused before the first is saved and go on after
 * the last, so that their clocks agree and no packet is known to one node only.
 */
export async function saveReady(libvirt: Machines, domains: readonly string[]): Promise<void> {
  await whileSuspended(libvirt, domains, async () => {
    for (const domain of domains) await libvirt.createSnapshot(domain, READY_SNAPSHOT);
  });
}

/**
 * Brings the machines of one world back to the moment that `saveReady` kept, and lets them go on together. A running
 * machine goes back inside its own process, which is faster. One that is off is started from the snapshot.
 *
 * The bound of its disk is a thing of the process, and outlives a lab that was killed in the middle of a cell, so it is
 * lifted.
 *
 * @param options `isCopy`: the disks were copied from those of another world. libvirt knows nothing of the snapshot in them, and QEMU
 *   loads it in any case.
 */
export async function loadReady(
  libvirt: Machines,
  domains: readonly string[],
  { isCopy = false }: { readonly isCopy?: boolean } = {},
): Promise<void> {
  if (isCopy) await startOff(libvirt, domains);
  const states = await Promise.all(domains.map((domain) => libvirt.domainState(domain)));
  const live = domains.filter((_, index) => isLive(states[index]));
  await Promise.all(live.map((domain) => libvirt.limitReads(domain, 0)));
  const [only] = domains;
  if (domains.length === 1 && only !== undefined) {
    // One machine waits for no other: it runs on at once, which saves two calls of virsh.
    if (states[0] === 'running') await libvirt.loadSnapshotInPlace(only, READY_SNAPSHOT);
    else if (!isCopy) await libvirt.revertSnapshot(only, READY_SNAPSHOT);
    else {
      await libvirt.loadSnapshotInPlace(only, READY_SNAPSHOT);
      await libvirt.resume(only);
    }
    return;
  }
  for (const [index, domain] of domains.entries()) {
    if (states[index] === 'running') await libvirt.suspend(domain);
  }
  await Promise.all(
    domains.map((domain) =>
      live.includes(domain)
        ? libvirt.loadSnapshotInPlace(domain, READY_SNAPSHOT)
        : libvirt.revertSnapshot(domain, READY_SNAPSHOT, 'paused'),
    ),
  );
  for (const domain of domains) await libvirt.resume(domain);
}

/** Starts the machines that are off, without letting them run. */
async function startOff(libvirt: Machines, domains: readonly string[]): Promise<void> {
  await Promise.all(
    domains.map(async (domain) => {
      if (!isLive(await libvirt.domainState(domain))) await libvirt.startSuspended(domain);
    }),
  );
}

/** A suspended machine was left so by a lab that died between `suspend` and `resume`. */
function isLive(state: Awaited<ReturnType<Machines['domainState']>>): boolean {
  return state === 'running' || state === 'paused';
}

/**
 * No machine stays suspended when the work fails. A single machine is not suspended: QEMU pauses it by itself while it
 * saves it.
 */
async function whileSuspended(
  libvirt: Machines,
  domains: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  if (domains.length === 1) return work();
  const suspended: string[] = [];
  try {
    for (const domain of domains) {
      await libvirt.suspend(domain);
      suspended.push(domain);
    }
    await work();
  } finally {
    for (const domain of suspended) await libvirt.resume(domain);
  }
}
