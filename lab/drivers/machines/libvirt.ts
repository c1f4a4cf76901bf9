import { create } from 'xmlbuilder2';
import { CommandError, HostError } from '../../model/errors/errors.ts';
import type { LibvirtConnection, RunCommand } from '../../model/host/host.ts';
import { TIME_LIMITS } from '../../model/limits/time-limits.ts';
import { isFolder, listFolder } from '../files/files.ts';
import { removeDomainLog } from './libvirt-log.ts';

export { connectLibvirt, libvirtUri } from './libvirt-connection.ts';

/** States as virsh prints them. */
type DomainState =
  'running' | 'idle' | 'paused' | 'in shutdown' | 'shut off' | 'crashed' | 'pmsuspended' | 'no state';

/** Everything the lab does with domains and pools besides Terraform. Names are libvirt names. */
export interface Libvirt {
  /** Names of all domains, running or not, that begin with the prefix. */
  listDomains(prefix: string): Promise<string[]>;
  /** Absolute paths of the disks and consoles of a domain; none when there is none of that name. */
  listDomainFiles(domain: string): Promise<string[]>;
  /** State of a domain; undefined when there is none of that name. */
  domainState(domain: string): Promise<DomainState | undefined>;
  /** Suspends a guest: its CPUs stop, its memory stays. A guest that is suspended already is not an error. */
  suspend(domain: string): Promise<void>;
  /** Resumes a suspended guest. */
  resume(domain: string): Promise<void>;
  /** Powers a domain on, with its CPUs stopped. */
  startSuspended(domain: string): Promise<void>;
  /** Powers a domain off. One that is off is not an error. */
  destroyDomain(domain: string): Promise<void>;
  /** Powers a domain off and undefines it, with the metadata of its snapshots and the log that libvirt keeps of it. */
  undefineDomain(domain: string): Promise<void>;
  /**
   * Saves disk, memory and devices inside the overlay. The guest is paused meanwhile; a suspended one stays suspended.
   */
  createSnapshot(domain: string, snapshot: string): Promise<void>;
  /**
   * Goes back to a snapshot inside the running QEMU process: faster than `virsh snapshot-revert`, which starts a new one.
   * Connections to the guest break; its clock goes back. A suspended guest stays suspended.
   */
  loadSnapshotInPlace(domain: string, snapshot: string): Promise<void>;
  /**
   * Bounds how many reads a second the disk of a running guest answers, until it is bounded again or its process ends. A
   * snapshot that is loaded in place changes nothing of it.
   *
   * @param readsPerSecond 0: as many as the host can.
   */
  limitReads(domain: string, readsPerSecond: number): Promise<void>;
  /** Names of all pools, active or not, that begin with the prefix. */
  listPools(prefix: string): Promise<string[]>;
  /** The folder of a pool; undefined when there is no pool of that name, or it has none. */
  findPoolFolder(pool: string): Promise<string | undefined>;
  /** Removes a pool, its volumes and its folder. Other files in that folder stay, and so does the folder then. */
  removePool(pool: string): Promise<void>;
}

/** The one disk of a machine (stacks/main.ts). */
const DISK = 'vda';

/** Returns libvirt over `virsh`. Methods throw CommandError; removing what is gone already is not an error. */
export function createLibvirt(
  run: RunCommand,
  connection: Pick<LibvirtConnection, 'uri'>,
  signal?: AbortSignal,
): Libvirt {
  const virsh: Virsh = async (args, timeoutMs = TIME_LIMITS.machines.virsh.ms) => {
    const result = await run('virsh', ['-q', '-c', connection.uri, ...args], {
      env: { LC_ALL: 'C' },
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    return result.stdout;
  };
  return { ...domains(virsh, connection.uri), ...snapshots(virsh), ...pools(virsh) };
}

type Virsh = (args: readonly string[], timeoutMs?: number) => Promise<string>;

function domains(virsh: Virsh, uri: string) {
  const listDomains = async (prefix: string): Promise<string[]> =>
    namesOf(await virsh(['list', '--all', '--name']), prefix);
  const isKnown = async (domain: string): Promise<boolean> => (await listDomains(domain)).includes(domain);
  const domainState = async (domain: string): Promise<DomainState | undefined> => {
    const text = await unlessDone(
      virsh(['domstate', '--domain', domain]),
      async () => !(await isKnown(domain)),
    );
    return text === undefined ? undefined : (text.trim() as DomainState);
  };
  const isOff = async (domain: string): Promise<boolean> =>
    [undefined, 'shut off'].includes(await domainState(domain));
  const destroyDomain = async (domain: string): Promise<void> => {
    await unlessDone(virsh(['destroy', '--domain', domain]), () => isOff(domain));
  };
  return {
    listDomains,
    listDomainFiles: async (domain: string) => {
      const xml = await unlessDone(
        virsh(['dumpxml', '--domain', domain]),
        async () => !(await isKnown(domain)),
      );
      return xml === undefined ? [] : parseDomainFiles(xml);
    },
    domainState,
    suspend: async (domain: string) => {
      await virsh(['suspend', '--domain', domain]);
    },
    resume: async (domain: string) => {
      await virsh(['resume', '--domain', domain]);
    },
    startSuspended: async (domain: string) => {
      await virsh(['start', '--domain', domain, '--paused']);
    },
    limitReads: async (domain: string, readsPerSecond: number) => {
      const bound = ['--read-iops-sec', String(readsPerSecond), '--live'];
      await virsh(['blkdeviotune', '--domain', domain, '--device', DISK, ...bound]);
    },
    destroyDomain,
    undefineDomain: async (domain: string) => {
      await destroyDomain(domain); // undefine of a running domain leaves it running without a definition
      const flags = ['--managed-save', '--snapshots-metadata', '--checkpoints-metadata', '--nvram'];
      const undefine = virsh(['undefine', '--domain', domain, ...flags]);
      await unlessDone(undefine, async () => !(await isKnown(domain)));
      removeDomainLog(uri, domain);
    },
  };
}

function snapshots(virsh: Virsh) {
  return {
    createSnapshot: async (domain: string, snapshot: string) => {
      await virsh(
        ['snapshot-create-as', '--domain', domain, '--name', snapshot, '--atomic'],
        TIME_LIMITS.machines.snapshot.ms,
      );
    },
    loadSnapshotInPlace: async (domain: string, snapshot: string) => {
      // Only the text of the monitor shows a failure: virsh ends with 0 in any case.
      const said = await virsh(
        ['qemu-monitor-command', '--domain', domain, '--hmp', `loadvm ${snapshot}`],
        TIME_LIMITS.machines.snapshot.ms,
      );
      if (said.trim() !== '') {
        throw new HostError('LAB_SNAPSHOT', `QEMU did not load snapshot "${snapshot}" of ${domain}`, {
          lastSeen: said.trim(),
          tryNext: 'destroy the world with `npx whodunit down` and bring it up again',
        });
      }
    },
  };
}

function pools(virsh: Virsh) {
  const list = async (which: readonly string[], prefix: string): Promise<string[]> =>
    namesOf(await virsh(['pool-list', '--name', ...which]), prefix);
  const isKnown = async (pool: string): Promise<boolean> => (await list(['--all'], pool)).includes(pool);
  return {
    listPools: (prefix: string) => list(['--all'], prefix),
    findPoolFolder: async (pool: string) => {
      const xml = await unlessDone(
        virsh(['pool-dumpxml', '--pool', pool]),
        async () => !(await isKnown(pool)),
      );
      return xml === undefined ? undefined : parsePoolFolder(xml);
    },
    removePool: async (pool: string) => {
      if (!(await isKnown(pool))) return;
      const folder = parsePoolFolder(await virsh(['pool-dumpxml', '--pool', pool]));
      // A pool whose folder is gone has no volumes; libvirt could not even look for them.
      const hasFolder = folder !== undefined && isFolder(folder);
      if ((await list([], pool)).includes(pool)) {
        if (hasFolder) await removeVolumes(virsh, pool);
        await virsh(['pool-destroy', '--pool', pool]);
      }
      if (hasFolder && listFolder(folder).length === 0) await virsh(['pool-delete', '--pool', pool]);
      await virsh(['pool-undefine', '--pool', pool]);
    },
  };
}

async function removeVolumes(virsh: Virsh, pool: string): Promise<void> {
  await virsh(['pool-refresh', '--pool', pool]);
  for (const line of (await virsh(['vol-list', '--pool', pool])).split('\n')) {
    // Columns are name and path, each padded; the path begins at the first slash after two blanks.
    const name = /^\s*(.*?)\s{2,}\//.exec(line)?.[1];
    if (name !== undefined) await virsh(['vol-delete', '--pool', pool, '--vol', name]);
  }
}

/** An element of the DOM, whose types are not part of Node. */
interface WithAttributes {
  getAttribute(name: string): string | null;
}

/** What the devices of a domain read and write, from its XML: `<source file=…>` of a disk, `path` of a console. */
function parseDomainFiles(xml: string): string[] {
  const sources = create(xml).filter(({ node }) => node.nodeName === 'source', false, true);
  return sources.flatMap(({ node }) =>
    ['file', 'path'].flatMap((name) => {
      const path = (node as unknown as WithAttributes).getAttribute(name);
      return path?.startsWith('/') === true ? [path] : [];
    }),
  );
}

/** The folder of a pool, from its XML. */
function parsePoolFolder(xml: string): string | undefined {
  const path = create(xml).find(({ node }) => node.nodeName === 'path', true, true);
  return path?.node.textContent ?? undefined;
}

function namesOf(text: string, prefix: string): string[] {
  const names = text.split('\n').map((line) => line.trim());
  return names.filter((name) => name !== '' && name.startsWith(prefix));
}

/**
 * Accepts that a command fails when there was nothing left to do. virsh has one exit status for all failures, so
 * libvirt is asked for the state now. The text of virsh decides nothing.
 */
async function unlessDone<T>(work: Promise<T>, isDone: () => Promise<boolean>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CommandError && error.failure === 'exit-code' && (await isDone())) return undefined;
    throw error;
  }
}
