import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WorldRecord } from '../../lab/world/world-record.ts';
import { hostCommand, isListening, readOpenLeases, type TestLab } from './lab-process.ts';
import { findProcessesOf, type TestUser } from './test-user.ts';

/** The libvirt of a normal user. */
export const SESSION = 'qemu:///session';
/** Daemons of the user's own libvirt, which serve other programs too and end by themselves when nobody asks. */
const IDLE_DAEMON = /\/(libvirtd|virt[a-z]+d) .*--timeout/;

/** What a user's lab has written down of its default world. */
export function readWorld(lab: TestLab): WorldRecord {
  return JSON.parse(readFileSync(join(lab.home, 'worlds/default/world.json'), 'utf8')) as WorldRecord;
}

/** Expects the machine of a world to be one of the user, which the libvirt of root does not know. */
export async function expectOwnMachine(user: TestUser, world: WorldRecord): Promise<void> {
  expect(world.libvirtUri).toBe(SESSION);
  const domains = world.nodes.map((node) => node.domain);
  expect(domains).toHaveLength(1);
  const machines = [...findProcessesOf(user.uid).values()].filter((line) => line.includes('qemu-system'));
  expect(machines).toHaveLength(1);
  expect(machines[0]).toContain(`guest=${domains[0] ?? ''},`);
  const system = await hostCommand('virsh', ['-c', 'qemu:///system', 'list', '--all', '--name']);
  expect(system.stdout).not.toContain(domains[0]);
}

/** Expects no domain, pool, process, port, file or lease to be left of a world that was removed. */
export async function expectNothingLeft(user: TestUser, lab: TestLab, world: WorldRecord): Promise<void> {
  // The compiler's helper ends after the command that it served.
  const findLeft = () => [...findProcessesOf(user.uid).values()].filter((line) => !IDLE_DAEMON.test(line));
  await expect.poll(findLeft).toEqual([]);
  for (const list of [['list'], ['pool-list']]) {
    const names = await user.run('virsh', ['-c', SESSION, ...list, '--all', '--name']);
    expect(names.status, names.stderr).toBe(0);
    expect(names.stdout.trim(), list[0]).toBe('');
  }
  for (const port of world.nodes.flatMap((node) => [node.sshPort, node.apiPort ?? node.sshPort])) {
    expect(await isListening(port), `port ${port}`).toBe(false);
  }
  expect(readdirSync(join(lab.home, 'worlds'))).toEqual([]);
  expect(readOpenLeases(lab.home)).toEqual([]);
  expect(findFilesOf(user.home, world.nodes[0]?.domain ?? '')).toEqual([]);
}

/** What libvirt keeps in a home with a machine's name on it: definition, log, sockets. */
function findFilesOf(home: string, domain: string): string[] {
  return ['.config/libvirt', '.cache/libvirt', 'tmp']
    .map((folder) => join(home, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((path) => path.includes(domain));
}
