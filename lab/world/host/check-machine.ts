import { reservePorts } from '../../drivers/claims/ports.ts';
import { HostError } from '../../model/errors/errors.ts';
import { HOST_MARGIN_MIB, qemuOverheadMiB } from './admission.ts';
import { proveAccelerator } from './accelerator.ts';
import type { Check } from './check.ts';

/** The first Node with everything we use. */
const NODE_MAJOR = 20;
/** SSH and the API of a few nodes. */
const PORTS = 8;
/** An unpacked root file system, and some to spare. */
const INODES = 50_000;
/** Modules, evidence and connections of a few nodes, several times over. */
const HANDLES = 256;

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

/** Files of the state folder and the cache: a file system may have room and still take no further file. */
export const checkInodes: Check = {
  name: 'inodes',
  look: ({ host, facts }) => {
    const folders = [host.stateDir, host.cacheDir].map((path) => ({ path, free: facts.freeInodes(path) }));
    const small = folders.filter(({ free }) => free !== undefined && free < INODES);
    const found = `${(small.length === 0 ? folders : small)
      .map(({ path, free }) => `${free ?? 'any number of'} inodes free at ${path}`)
      .join(', ')}; ${INODES} needed`;
    if (small.length === 0) return { ok: true, found };
    return {
      ok: false,
      found,
      why: 'root file systems are unpacked there, and each run adds its files',
      fix: 'remove files (df -i says where), or set WHODUNIT_HOME=<folder on another disk>',
    };
  },
};

/** File handles: each node takes connections and files of evidence. */
export const checkHandles: Check = {
  name: 'handles',
  look: ({ facts }) => {
    const limit = facts.openFilesLimit();
    const found = `${limit === Infinity ? 'any number of' : limit} open files allowed, ${HANDLES} needed`;
    if (limit >= HANDLES) return { ok: true, found };
    return {
      ok: false,
      found,
      why: 'a run would lose evidence in the middle of a cell',
      fix: `ulimit -n ${HANDLES}, or a higher limit in /etc/security/limits.conf`,
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
