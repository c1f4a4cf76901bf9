import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorResult } from '../../lab/model/saved/doctor.ts';
import type { RunResult } from '../../lab/model/saved/formats.ts';
import type { WorldRecord } from '../../lab/world/world-record.ts';
import { createLabOf, hostCommand, isListening, readOpenLeases, type TestLab } from './lab-process.ts';
import { createTestUser, findProcessesOf, type TestUser } from './test-user.ts';

const SESSION = 'qemu:///session';
/** Daemons of the user's own libvirt, which serve other programs too and end by themselves when nobody asks. */
const IDLE_DAEMON = /\/(libvirtd|virt[a-z]+d) .*--timeout/;
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('the main path as a normal user (needs root, to make that user)', () => {
  let user: TestUser;
  let lab: TestLab;
  let world: WorldRecord;

  beforeAll(async () => {
    user = await createTestUser('whodunit-test');
    lab = createLabOf(user);
  });

  afterAll(async () => {
    await user.remove();
  });

  it('finds a host that is ready', async () => {
    const doctor = await lab.run('doctor', '--json');
    expect(doctor.status, doctor.stdout).toBe(0);
    const { checks } = JSON.parse(doctor.stdout) as DoctorResult;
    expect(checks.find((check) => check.name === 'libvirt')?.found).toBe(`${SESSION} answers`);
  });

  it('names the right killer', async () => {
    const result = await lab.run('run', 'oom-single-container', '--json');
    expect(result.status, result.stdout).toBe(0);
    const { cells } = JSON.parse(result.stdout) as RunResult;
    const killers = Object.fromEntries(cells.map((cell) => [cell.address, cell.attribution.killer]));
    expect(killers).toEqual({ 'default/oom-single-container': 'memcg-oom' });
  });

  it('did so on a machine of the user, which the libvirt of root does not know', async () => {
    world = JSON.parse(readFileSync(join(lab.home, 'worlds/default/world.json'), 'utf8')) as WorldRecord;
    expect(world.libvirtUri).toBe(SESSION);
    const domains = world.nodes.map((node) => node.domain);
    expect(domains).toHaveLength(1);
    const machines = [...findProcessesOf(user.uid).values()].filter((line) => line.includes('qemu-system'));
    expect(machines).toHaveLength(1);
    expect(machines[0]).toContain(`guest=${domains[0] ?? ''},`);
    const system = await hostCommand('virsh', ['-c', 'qemu:///system', 'list', '--all', '--name']);
    expect(system.stdout).not.toContain(domains[0]);
  });

  it('leaves no domain, pool, process, port, file or lease after `whodunit down --all`', async () => {
    const down = await lab.run('down', '--all');
    expect(down.status, down.stderr).toBe(0);
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
  });
});

/** What libvirt keeps in a home with a machine's name on it: definition, log, sockets. */
function findFilesOf(home: string, domain: string): string[] {
  return ['.config/libvirt', '.cache/libvirt', 'tmp']
    .map((folder) => join(home, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    .filter((path) => path.includes(domain));
}
