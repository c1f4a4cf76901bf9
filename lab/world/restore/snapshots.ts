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
 * Brings the machines of one world back to the moment that `saveReady` kept, and lets them go on together. QEMU loads the
 * snapshot inside its process: a new process takes longer, and libvirt knows nothing of a snapshot that was copied with its
 * disk. A machine that is off is powered on for it, and does not run before.
 *
 * The bound of a disk is a thing of the process, and outlives a lab that was killed in the middle of a cell, so it is lifted.
 */
export async function loadReady(libvirt: Machines, domains: readonly string[]): Promise<void> {
  const states = await Promise.all(domains.map((domain) => libvirt.domainState(domain)));
  // One machine waits for no other: it runs on at once, which saves two calls of virsh.
  const runsOn = domains.length === 1 && states[0] === 'running';
  await Promise.all(
    domains.map(async (domain, index) => {
      const state = states[index];
      if (!isLive(state)) return libvirt.startSuspended(domain);
      await libvirt.limitReads(domain, 0);
      if (state === 'running' && !runsOn) await libvirt.suspend(domain);
    }),
  );
  await Promise.all(domains.map((domain) => libvirt.loadSnapshotInPlace(domain, READY_SNAPSHOT)));
  if (runsOn) return;
  for (const domain of domains) await libvirt.resume(domain);
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
