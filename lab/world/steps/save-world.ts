import { awaitRenewal, readRenewals } from '../restore/health/leases.ts';
import { countRestarts } from '../restore/health/restarts.ts';
import { saveReady } from '../restore/snapshots.ts';
import { WITNESS } from '../witness.ts';
import type { BuildStep, SettledWorld } from './build-step.ts';

/** Saves the snapshot of a settled world, and in its record what the health gate compares a restored world with. */
export const saveWorld: BuildStep<SettledWorld> = {
  name: 'snapshot',
  title: 'saving the ready snapshot',
  run: async ({ host, libvirt }, world) => {
    const { guests, kubernetes, record } = world;
    const restarts = await countRestarts(kubernetes);
    // Otherwise the witness of each cell would turn the trace on right after a restore (`armTrace` in the witness).
    await Promise.all(guests.map((guest) => guest.must(`${WITNESS} arm\n${READ_PROGRAMS}`)));
    const names = record.nodes.map(({ name }) => name);
    for (const name of names.slice(0, 1)) await awaitRenewal(host, kubernetes, name);
    const before = await readRenewals(host, kubernetes, names);
    await saveReady(
      libvirt,
      record.nodes.map(({ domain }) => domain),
    );
    const after = await readRenewals(host, kubernetes, names);
    const nodes = record.nodes.map((node, index) =>
      before[index] === after[index] ? { ...node, leaseRenewedAt: before[index] } : node,
    );
    return { ...world, record: { ...record, nodes, restarts } };
  },
};

/**
 * Reads the programs of the workloads once, so that no container is charged for their pages in the page cache. The
 * kernel charges the first reader. A container at its limit would give back the pages of its own program and read them
 * in again. As long as that frees anything, the kernel retries instead of killing (mm/memcontrol.c,
 * `try_charge_memcg`). On a slow emulated node that took more than a minute.
 */
const READ_PROGRAMS = `cd "$(dirname /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/*/fs/bin/memory-eater)"
cat -- * > /dev/null`;
