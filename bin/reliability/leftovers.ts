import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLines } from '../../lab/drivers/files/files.ts';
import { isProcessAlive } from '../../lab/drivers/processes/liveness.mjs';
import { listQemuGuests } from '../../lab/drivers/machines/qemu-guests.ts';
import { openLeases } from '../../lab/model/host/lease.ts';
import { libvirtPrefix, worldLibvirtName } from '../../lab/model/host/machine.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import type { Lab } from '../../lab/world/lab.ts';
import { readWorldRecords } from '../../lab/world/world-record.ts';
import type { Engine, Home } from './engine.ts';

/** Names of files that somebody was about to finish. */
const UNFINISHED = [/\.tmp$/, /^\.building-/, /^lab\.lock/, /\.lock\.info$/, /\.new$/];

/** What a host has of labs. */
interface Found {
  readonly domains: readonly string[];
  readonly pools: readonly string[];
  /** Processes that labs started, in words. */
  readonly processes: readonly string[];
}

/** Looks at everything that a lab makes on the stand-in host. No command may run meanwhile. */
export async function findLeftovers({ host }: Engine, home: Home): Promise<string[]> {
  // The last call of a command that has ended is over as soon as this process reads so.
  await pause(20);
  const running = [...host.calls].filter(({ pid }) => isProcessAlive(pid));
  const found: Found = {
    domains: [...host.libvirt.domains.keys()],
    pools: [...host.libvirt.pools.keys()],
    processes: running.map(({ name, args, pid }) => `${pid}: ${name} ${args.join(' ').slice(0, 80)}`),
  };
  return compareWithWorlds(found, home);
}

/** The same on this machine. */
export async function findLeftoversHere({ libvirt }: Pick<Lab, 'libvirt'>, home: Home): Promise<string[]> {
  const prefix = libvirtPrefix(home.stateDir);
  const domains = await libvirt.listDomains(prefix);
  const pools = await libvirt.listPools(prefix);
  const processes = listQemuGuests()
    .filter(({ name }) => name.startsWith(prefix) && !domains.includes(name))
    .map(({ pid, name }) => `${pid}: QEMU of ${name}`);
  return compareWithWorlds({ domains, pools, processes }, home);
}

/** Where tsx, which runs the code of a clone, keeps what it has translated: once for all commands of a user. */
const TRANSLATED = `tsx-${process.getuid?.() ?? ''}`;

/** Names what no world that is up accounts for; empty: nothing was left behind. */
function compareWithWorlds(found: Found, { stateDir, cacheDir, temporary }: Home): string[] {
  const records = readWorldRecords(stateDir);
  const ready = records.filter(({ isReady }) => isReady);
  const names = new Set(ready.map(({ name }) => name));
  const prefix = libvirtPrefix(stateDir);
  const domains = new Set(ready.flatMap(({ record }) => record?.nodes.map(({ domain }) => domain) ?? []));
  const pools = new Set(ready.map(({ name }) => worldLibvirtName(stateDir, name)));
  return [
    ...found.domains
      .filter((name) => name.startsWith(prefix) && !domains.has(name))
      .map((name) => `domain ${name}`),
    ...[...domains]
      .filter((name) => !found.domains.includes(name))
      .map((name) => `no domain ${name} of a world`),
    ...found.pools
      .filter((name) => name.startsWith(prefix) && !pools.has(name))
      .map((name) => `pool ${name}`),
    ...found.processes.map((text) => `process ${text}`),
    ...records.filter(({ isReady }) => !isReady).map(({ name }) => `folder of world ${name}`),
    ...openLeases(readLines(statePaths(stateDir).leases))
      .filter(({ owner }) => !names.has(owner))
      .map(({ kind, target }) => `lease of ${kind} ${target}`),
    ...[stateDir, cacheDir].flatMap(findUnfinished).map((path) => `file ${path}`),
    ...(existsSync(temporary) ? readdirSync(temporary) : [])
      .filter((name) => name !== TRANSLATED)
      .map((name) => `temporary file ${name}`),
    ...readLines('/proc/self/mountinfo')
      .filter((line) => [stateDir, cacheDir].some((folder) => line.includes(`${folder}/`)))
      .map((line) => `mount ${line}`),
  ];
}

function findUnfinished(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => UNFINISHED.some((pattern) => pattern.test(name)))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
