import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLines } from '../../lab/drivers/files.ts';
import { isProcessAlive } from '../../lab/drivers/liveness.mjs';
import { openLeases } from '../../lab/model/lease.ts';
import { libvirtPrefix } from '../../lab/model/machine.ts';
import { statePaths } from '../../lab/model/paths.ts';
import { readWorldRecords } from '../../lab/world/world-record.ts';
import type { Engine, Home } from './engine.ts';

/** Names of files that somebody was about to finish. */
const UNFINISHED = [/\.tmp$/, /^\.building-/, /^lab\.lock/, /\.lock\.info$/, /\.new$/];

/**
 * Looks at everything that a lab makes on a host, and names what no world that is up accounts for; empty: nothing was
 * left behind. No command may run meanwhile.
 */
export async function findLeftovers({ host }: Engine, home: Home): Promise<string[]> {
  // The last call of a command that has ended is over as soon as this process reads so.
  await pause(20);
  const { stateDir, cacheDir, temporary } = home;
  const records = readWorldRecords(stateDir);
  const ready = records.filter(({ isReady }) => isReady);
  const names = new Set(ready.map(({ name }) => name));
  const prefix = libvirtPrefix(stateDir);
  const domains = new Set(ready.flatMap(({ record }) => record?.nodes.map(({ domain }) => domain) ?? []));
  const pools = new Set(ready.map(({ record }) => record?.pool));
  const ofLibvirt = (list: Iterable<string>): string[] => [...list].filter((name) => name.startsWith(prefix));
  return [
    ...ofLibvirt(host.libvirt.domains.keys())
      .filter((name) => !domains.has(name))
      .map((name) => `domain ${name}`),
    ...[...domains]
      .filter((name) => !host.libvirt.domains.has(name))
      .map((name) => `no domain ${name} of a world`),
    ...ofLibvirt(host.libvirt.pools.keys())
      .filter((name) => !pools.has(host.libvirt.pools.get(name)?.path))
      .map((name) => `pool ${name}`),
    ...[...host.calls]
      .filter(({ pid }) => isProcessAlive(pid))
      .map(({ name, args, pid }) => `process ${pid}: ${name} ${args.join(' ').slice(0, 80)}`),
    ...records.filter(({ isReady }) => !isReady).map(({ name }) => `folder of world ${name}`),
    ...openLeases(readLines(statePaths(stateDir).leases))
      .filter(({ owner }) => !names.has(owner))
      .map(({ kind, target }) => `lease of ${kind} ${target}`),
    ...[stateDir, cacheDir].flatMap(findUnfinished).map((path) => `file ${path}`),
    ...(existsSync(temporary) ? readdirSync(temporary) : []).map((name) => `temporary file ${name}`),
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
