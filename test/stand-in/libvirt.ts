import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MachineSpec } from '../../lab/model/host/machine.ts';
import { diskName } from '../../lab/model/host/machine.ts';
import type { Call } from './call.ts';
import { openGuest, type StandInGuest } from './guest.ts';
import type { BaseImage, GuestMemory } from './guest-body.ts';

/** A disk of a machine: what stands under it, and the memory in each of its snapshots. */
interface Disk {
  readonly base: string;
  readonly snapshots: Record<string, GuestMemory>;
}

/** A machine: a real process, real ports on loopback and a real disk file, but nothing is booted. */
interface Domain {
  /** Undefined of somebody else's. */
  readonly spec: MachineSpec | undefined;
  readonly pool: string;
  process: ChildProcess | undefined;
  guest: StandInGuest | undefined;
  isPaused: boolean;
}

/** libvirt's daemon as far as the lab needs it. */
export interface StandInLibvirt {
  readonly domains: ReadonlyMap<string, { readonly process: ChildProcess | undefined }>;
  readonly pools: ReadonlyMap<string, { readonly path: string }>;
  definePool(name: string, path: string): void;
  emptyPool(name: string): void;
  undefinePool(name: string, withFolder: boolean): void;
  makeVolume(poolFolder: string, spec: MachineSpec): void;
  defineDomain(name: string, poolFolder: string, spec: MachineSpec): void;
  start(name: string, isPaused?: boolean): Promise<void>;
  destroy(name: string): Promise<void>;
  undefine(name: string): Promise<void>;
  suspend(name: string, isPaused: boolean): void;
  stateOf(name: string): string;
  /** The XML of a domain, with the files that it uses. */
  describe(name: string): string;
  save(name: string, snapshot: string): void;
  /** Returns what the monitor of QEMU prints: nothing when all went well. */
  load(name: string, snapshot: string): string;
  poolFiles(name: string): string[];
  /** Adds a domain of somebody else, which is off. */
  defineForeign(name: string): void;
  /** Whether its daemon is gone: nobody is answered then. */
  goAway(isGone: boolean): void;
  readonly isGone: () => boolean;
  close(): Promise<void>;
}

class LibvirtError extends Error {}

function readDisk(path: string): Disk {
  return JSON.parse(readFileSync(path, 'utf8')) as Disk;
}

/** Builds an empty libvirt. */
export function createStandInLibvirt(tell: (what: string) => void): StandInLibvirt {
  const domains = new Map<string, Domain>();
  const pools = new Map<string, { path: string; isActive: boolean }>();
  let isGone = false;
  const get = (name: string): Domain => {
    const found = domains.get(name);
    if (found === undefined) throw new LibvirtError(`failed to get domain '${name}'`);
    return found;
  };
  const specOf = ({ spec }: Domain): MachineSpec => {
    if (spec === undefined) throw new LibvirtError('a machine of somebody else');
    return spec;
  };
  const diskOf = (domain: Domain): string => join(domain.pool, diskName(specOf(domain).name));
  const getPool = (name: string) => {
    const found = pools.get(name);
    if (found === undefined) throw new LibvirtError(`failed to get pool '${name}'`);
    return found;
  };
  const destroy = async (name: string): Promise<void> => {
    const domain = get(name);
    const { process, guest } = domain;
    if (process === undefined) throw new LibvirtError('domain is not running');
    [domain.process, domain.guest] = [undefined, undefined];
    guest?.close();
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  };
  const start = async (name: string, isPaused = false): Promise<void> => {
    const domain = get(name);
    if (domain.process !== undefined) throw new LibvirtError('domain is already running');
    const base = JSON.parse(readFileSync(readDisk(diskOf(domain)).base, 'utf8')) as BaseImage;
    const child = spawn('/bin/sleep', ['1000000'], {
      argv0: 'stand-in-guest',
      detached: true,
      stdio: 'ignore',
    });
    child.unref();
    domain.process = child;
    domain.isPaused = isPaused;
    domain.guest = openGuest(specOf(domain), base, tell);
    if (isPaused) domain.guest.freeze(true);
    child.once('exit', () => {
      if (domain.process !== child) return;
      domain.guest?.close();
      [domain.process, domain.guest] = [undefined, undefined];
    });
  };
  return {
    domains,
    pools,
    destroy,
    start,
    isGone: () => isGone,
    goAway: (next) => void (isGone = next),
    defineForeign: (name) =>
      domains.set(name, { spec: undefined, pool: '', process: undefined, guest: undefined, isPaused: false }),
    definePool: (name, path) => {
      if (pools.has(name)) throw new LibvirtError(`pool '${name}' already exists`);
      mkdirSync(path);
      pools.set(name, { path, isActive: true });
    },
    poolFiles: (name) => readdirSync(getPool(name).path),
    emptyPool: (name) => {
      const { path } = getPool(name);
      for (const file of existsSync(path) ? readdirSync(path) : []) rmSync(join(path, file));
    },
    undefinePool: (name, withFolder) => {
      const { path } = getPool(name);
      if (withFolder && existsSync(path)) rmdirSync(path);
      pools.delete(name);
    },
    makeVolume: (poolFolder, spec) => {
      const disk: Disk = { base: spec.base, snapshots: {} };
      writeFileSync(join(poolFolder, diskName(spec.name)), JSON.stringify(disk), { flag: 'wx' });
    },
    defineDomain: (name, pool, spec) => {
      if (domains.has(name)) throw new LibvirtError(`domain '${name}' already exists`);
      domains.set(name, { spec, pool, process: undefined, guest: undefined, isPaused: false });
    },
    undefine: async (name) => {
      if (get(name).process !== undefined) await destroy(name);
      domains.delete(name);
    },
    suspend: (name, isPaused) => {
      const domain = get(name);
      if (domain.process === undefined) throw new LibvirtError('domain is not running');
      domain.isPaused = isPaused;
      domain.guest?.freeze(isPaused);
    },
    stateOf: (name) => {
      const { process, isPaused } = get(name);
      if (process === undefined) return 'shut off';
      return isPaused ? 'paused' : 'running';
    },
    describe: (name) => {
      const domain = get(name);
      const disk = domain.spec === undefined ? '' : `<disk><source file='${diskOf(domain)}'/></disk>`;
      return `<domain><devices>${disk}</devices></domain>`;
    },
    save: (name, snapshot) => {
      const domain = get(name);
      const disk = readDisk(diskOf(domain));
      if (domain.guest === undefined) throw new LibvirtError('domain is not running');
      if (snapshot in disk.snapshots) throw new LibvirtError(`domain snapshot ${snapshot} already exists`);
      disk.snapshots[snapshot] = structuredClone(domain.guest.memory());
      writeFileSync(diskOf(domain), JSON.stringify(disk));
    },
    load: (name, snapshot) => {
      const domain = get(name);
      const memory = readDisk(diskOf(domain)).snapshots[snapshot];
      if (memory === undefined) return `Error: Snapshot '${snapshot}' does not exist`;
      domain.guest?.restore(structuredClone(memory));
      return '';
    },
    close: async () => {
      for (const [name, { process }] of domains) if (process !== undefined) await destroy(name);
    },
  };
}

/** Runs one command of virsh. A daemon does the work: it goes on when virsh is killed. */
export async function runVirsh(call: Call, libvirt: StandInLibvirt): Promise<number> {
  const words = call.args.filter((word) => word !== '-q');
  if (words[0] === '-c') words.splice(0, 2);
  const [verb = '', ...rest] = words;
  if (libvirt.isGone()) {
    call.complain("error: Failed to connect socket to '/var/run/libvirt/libvirt-sock': Connection refused");
    return 1;
  }
  const valueOf = (flag: string): string => rest[rest.indexOf(flag) + 1] ?? '';
  await call.daemonMoment(`${verb}: before`);
  try {
    await COMMANDS[verb]?.({ call, libvirt, rest, valueOf });
    if (COMMANDS[verb] === undefined) throw new LibvirtError(`unknown command: '${verb}'`);
  } catch (error) {
    if (!(error instanceof LibvirtError) && !(error instanceof SyntaxError)) throw error;
    call.complain(`error: ${error.message}`);
    return 1;
  }
  await call.daemonMoment(`${verb}: done`);
  return 0;
}

interface Words {
  readonly call: Call;
  readonly libvirt: StandInLibvirt;
  readonly rest: readonly string[];
  readonly valueOf: (flag: string) => string;
}

const COMMANDS: Readonly<Record<string, (words: Words) => void | Promise<void>>> = {
  uri: ({ call }) => call.print('qemu:///system'),
  version: ({ call }) => call.print('Using API: QEMU 9.0.0'),
  list: ({ call, libvirt }) => call.print([...libvirt.domains.keys(), ''].join('\n')),
  dumpxml: ({ call, libvirt, valueOf }) => call.print(libvirt.describe(valueOf('--domain'))),
  domstate: ({ call, libvirt, valueOf }) => call.print(libvirt.stateOf(valueOf('--domain'))),
  destroy: ({ libvirt, valueOf }) => libvirt.destroy(valueOf('--domain')),
  undefine: ({ libvirt, valueOf }) => libvirt.undefine(valueOf('--domain')),
  suspend: ({ libvirt, valueOf }) => libvirt.suspend(valueOf('--domain'), true),
  resume: ({ libvirt, valueOf }) => libvirt.suspend(valueOf('--domain'), false),
  start: ({ libvirt, valueOf }) => libvirt.start(valueOf('--domain'), true),
  blkdeviotune: () => undefined,
  'snapshot-create-as': async ({ call, libvirt, valueOf }) => {
    libvirt.suspend(valueOf('--domain'), true);
    await call.daemonMoment('snapshot: half-way');
    libvirt.save(valueOf('--domain'), valueOf('--name'));
    libvirt.suspend(valueOf('--domain'), false);
  },
  'qemu-monitor-command': async ({ call, libvirt, valueOf }) => {
    await call.daemonMoment('load: half-way');
    call.print(libvirt.load(valueOf('--domain'), valueOf('--hmp').replace('loadvm ', '')));
  },
  'pool-list': ({ call, libvirt }) => call.print([...libvirt.pools.keys(), ''].join('\n')),
  'pool-dumpxml': ({ call, libvirt, valueOf }) =>
    call.print(
      `<pool><target><path>${libvirt.pools.get(valueOf('--pool'))?.path ?? ''}</path></target></pool>`,
    ),
  'pool-refresh': () => undefined,
  'vol-list': ({ call, libvirt, valueOf }) => {
    const pool = valueOf('--pool');
    const folder = libvirt.pools.get(pool)?.path ?? '';
    call.print(
      libvirt
        .poolFiles(pool)
        .map((name) => ` ${name}   ${join(folder, name)}`)
        .join('\n'),
    );
  },
  'vol-delete': ({ libvirt, valueOf }) =>
    rmSync(join(libvirt.pools.get(valueOf('--pool'))?.path ?? '', valueOf('--vol'))),
  'pool-destroy': () => undefined,
  'pool-delete': ({ libvirt, valueOf }) => rmdirSync(libvirt.pools.get(valueOf('--pool'))?.path ?? ''),
  'pool-undefine': ({ libvirt, valueOf }) => libvirt.undefinePool(valueOf('--pool'), false),
};
