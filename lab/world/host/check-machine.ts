import { reservePorts } from '../../drivers/ports.ts';
import { HostError } from '../../model/errors.ts';
import { HOST_MARGIN_MIB, qemuOverheadMiB } from '../run/admission.ts';
import { proveAccelerator } from './accelerator.ts';
import type { Check } from './check.ts';

/** The first Node with everything we use. */
const NODE_MAJOR = 20;
/** SSH and the API of a few nodes. */
const PORTS = 8;

/** The Node that runs us. */
export const checkNode: Check = {
  name: 'node',
  look: ({ facts }) => {
    const found = `Node ${facts.nodeVersion}`;
    if (Number.parseInt(facts.nodeVersion, 10) >= NODE_MAJOR) return { ok: true, found };
    return {
      ok: false,
      found,
      why: `whodunit runs on Node ${NODE_MAJOR} and newer`,
      fix: 'install Node 20 or 22',
    };
  },
};

/** Memory for the guests and, as the admission of a world counts it, for a QEMU and the lab. */
export const checkMemory: Check = {
  name: 'memory',
  look: async ({ host, facts, needs, earlier }) => {
    const available = facts.availableMemoryMiB();
    // The smaller need, while QEMU is not there to prove the accelerator: after its installation the check runs again.
    const isProven = earlier.get('accelerator')?.ok === true;
    const accelerator = isProven ? (await proveAccelerator(host, facts)).accelerator : 'kvm';
    const wanted = needs.memoryMiB + qemuOverheadMiB(accelerator) + HOST_MARGIN_MIB;
    const found = `${available} MiB available, ${wanted} MiB needed`;
    if (available >= wanted) return { ok: true, found };
    return {
      ok: false,
      found,
      why: 'the host would run out of memory and kill a guest, or the lab',
      fix: 'end other programs, run `npx whodunit down --all`, or choose a variant with fewer nodes',
    };
  },
};

/** Disk for images and overlays; a full disk halfway leaves broken images. */
export const checkDisk: Check = {
  name: 'disk',
  look: ({ host, facts, needs }) => {
    const folders = [
      { path: host.stateDir, variable: 'WHODUNIT_HOME' },
      { path: host.cacheDir, variable: 'WHODUNIT_CACHE' },
    ].map((folder) => ({ ...folder, freeMiB: facts.freeDiskMiB(folder.path) }));
    const small = folders.filter(({ freeMiB }) => freeMiB < needs.diskMiB);
    const describe = (list: typeof folders): string =>
      list.map(({ path, freeMiB }) => `${freeMiB} MiB free at ${path}`).join(', ');
    if (small.length === 0) return { ok: true, found: `${describe(folders)}; ${needs.diskMiB} MiB needed` };
    const variables = small.map(({ variable }) => `${variable}=<folder on a larger disk>`).join(' ');
    return {
      ok: false,
      found: `${describe(small)}; ${needs.diskMiB} MiB needed`,
      why: 'images and disks of guests do not fit',
      fix: `free some disk (the cache is safe to delete), or set ${variables}`,
    };
  },
};

/** Ports on loopback for SSH and the API of the guests. */
export const checkPorts: Check = {
  name: 'ports',
  look: async () => {
    try {
      await reservePorts(PORTS);
      return { ok: true, found: `${PORTS} free ports on 127.0.0.1` };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      return {
        ok: false,
        found: error.message,
        why: 'guests are reached through ports of 127.0.0.1',
        fix: 'see who listens: ss -ltnp',
      };
    }
  },
};
