import { CommandError, HostError } from '../model/errors.ts';
import type { LibvirtConnection, RunCommand } from '../model/host.ts';
import { removeDomainLog } from './libvirt-log.ts';

export { connectLibvirt } from './libvirt-connection.ts';

/** States as virsh prints them. */
export type DomainState =
  'running' | 'idle' | 'paused' | 'in shutdown' | 'shut off' | 'crashed' | 'pmsuspended' | 'no state';

/** Everything the lab does with domains and pools besides Terraform. Names are libvirt names. */
export interface Libvirt {
  /** Names of all domains, running or not, that begin with the prefix. */
  listDomains(prefix: string): Promise<string[]>;
  /** State of a domain; undefined when there is none of that name. */
  domainState(domain: string): Promise<DomainState | undefined>;
  /** Lets a guest stand still; its memory stays. One that stands still already is no error. */
  suspend(domain: string): Promise<void>;
  /** Lets a suspended guest go on. */
  resume(domain: string): Promise<void>;
  /** Takes the power away, if it has any. */
  destroyDomain(domain: string): Promise<void>;
  /** Takes the power away and forgets the domain, with the metadata of its snapshots and libvirt's log of it. */
  undefineDomain(domain: string): Promise<void>;
  /** Saves disk, memory and devices inside the overlay. The guest stands still meanwhile; a suspended one stays so. */
  createSnapshot(domain: string, snapshot: string): Promise<void>;
  /** Goes back to a snapshot and lets the guest run or, `paused`, stand still; starts the domain when it is off. */
  revertSnapshot(domain: string, snapshot: string, then?: 'running' | 'paused'): Promise<void>;
  /**
   * Goes back to a snapshot inside the running QEMU process: faster than `revertSnapshot`, which starts a new one.
   * Connections to the guest break; its clock goes back. A suspended guest stays suspended.
   */
  loadSnapshotInPlace(domain: string, snapshot: string): Promise<void>;
  /** Names of all pools, active or not, that begin with the prefix. */
  listPools(prefix: string): Promise<string[]>;
  /** Removes a pool, its volumes and its folder. Other files in that folder stay, and so does the folder then. */
  removePool(pool: string): Promise<void>;
}

const ANSWER_MS = 60_000;

/** A snapshot writes or reads the guest's memory; slow disks are given their time. */
const SNAPSHOT_MS = 600_000;

/** Returns libvirt over `virsh`. Methods throw CommandError; removing what is gone already is no error. */
export function createLibvirt(
  run: RunCommand,
  connection: Pick<LibvirtConnection, 'uri'>,
  signal?: AbortSignal,
): Libvirt {
  const virsh: Virsh = async (args, timeoutMs = ANSWER_MS) => {
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
  const domainState = async (domain: string): Promise<DomainState | undefined> => {
    const text = await unlessMissing(virsh(['domstate', '--domain', domain]));
    return text === undefined ? undefined : (text.trim() as DomainState);
  };
  const destroyDomain = async (domain: string): Promise<void> => {
    await unlessMissing(virsh(['destroy', '--domain', domain]));
  };
  return {
    listDomains: async (prefix: string) => namesOf(await virsh(['list', '--all', '--name']), prefix),
    domainState,
    suspend: async (domain: string) => {
      await virsh(['suspend', '--domain', domain]);
    },
    resume: async (domain: string) => {
      await virsh(['resume', '--domain', domain]);
    },
    destroyDomain,
    undefineDomain: async (domain: string) => {
      await destroyDomain(domain); // undefined while it runs, a domain would run on without a definition
      const flags = ['--managed-save', '--snapshots-metadata', '--checkpoints-metadata', '--nvram'];
      await unlessMissing(virsh(['undefine', '--domain', domain, ...flags]));
      removeDomainLog(uri, domain);
    },
  };
}

function snapshots(virsh: Virsh) {
  return {
    createSnapshot: async (domain: string, snapshot: string) => {
      await virsh(['snapshot-create-as', '--domain', domain, '--name', snapshot, '--atomic'], SNAPSHOT_MS);
    },
    revertSnapshot: async (domain: string, snapshot: string, then: 'running' | 'paused' = 'running') => {
      await virsh(
        ['snapshot-revert', '--domain', domain, '--snapshotname', snapshot, `--${then}`],
        SNAPSHOT_MS,
      );
    },
    loadSnapshotInPlace: async (domain: string, snapshot: string) => {
      // The monitor's own words are the only sign of failure: virsh ends with 0 all the same.
      const said = await virsh(
        ['qemu-monitor-command', '--domain', domain, '--hmp', `loadvm ${snapshot}`],
        SNAPSHOT_MS,
      );
      if (said.trim() !== '') {
        throw new HostError('LAB_SNAPSHOT', `QEMU did not load snapshot "${snapshot}" of ${domain}`, {
          lastSeen: said.trim(),
          tryNext: 'destroy the world with `npm run lab down` and bring it up again',
        });
      }
    },
  };
}

function pools(virsh: Virsh) {
  return {
    listPools: async (prefix: string) => namesOf(await virsh(['pool-list', '--all', '--name']), prefix),
    removePool: async (pool: string) => {
      const state = await unlessMissing(virsh(['pool-info', '--pool', pool]));
      if (state === undefined) return;
      if (/^State:\s+running$/m.test(state)) {
        await virsh(['pool-refresh', '--pool', pool]).catch(ignoreLostFolder);
        await removeVolumes(virsh, pool);
        await unlessMissing(virsh(['pool-destroy', '--pool', pool]));
      }
      await virsh(['pool-delete', '--pool', pool]).catch(ignoreLostFolder);
      await unlessMissing(virsh(['pool-undefine', '--pool', pool]));
    },
  };
}

async function removeVolumes(virsh: Virsh, pool: string): Promise<void> {
  const list = await unlessMissing(virsh(['vol-list', '--pool', pool]));
  for (const line of (list ?? '').split('\n')) {
    // Columns are name and path, each padded; the path begins at the first slash after two blanks.
    const name = /^\s*(.*?)\s{2,}\//.exec(line)?.[1];
    if (name !== undefined) await unlessMissing(virsh(['vol-delete', '--pool', pool, '--vol', name]));
  }
}

function namesOf(text: string, prefix: string): string[] {
  const names = text.split('\n').map((line) => line.trim());
  return names.filter((name) => name !== '' && name.startsWith(prefix));
}

/** virsh has one exit status for all failures; with LC_ALL=C these are its fixed words for "no such thing". */
const MISSING = /failed to get (domain|pool|vol)|domain is not running|not found: no /i;

async function unlessMissing(work: Promise<string>): Promise<string | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CommandError && error.failure === 'exit-code' && MISSING.test(error.tail))
      return undefined;
    throw error;
  }
}

/** A pool whose folder is gone, or holds files of others, can still be undefined. */
function ignoreLostFolder(error: unknown): void {
  const known = /No such file or directory|cannot open directory|Directory not empty|pool is not active/i;
  if (error instanceof CommandError && error.failure === 'exit-code' && known.test(error.tail)) return;
  throw error;
}
