import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLeases, type Lease } from '../../lab/model/host/lease.ts';
import { worldLibvirtName } from '../../lab/model/host/machine.ts';
import { statePaths } from '../../lab/model/host/paths.ts';
import { runCli, type Ended } from './support/run-cli.ts';
import { makeToolFolder } from './support/tool-folder.ts';

/** The largest pid of Linux on 64 bits: nobody has it. */
const DEAD = 4194303;

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-gc-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function lease(id: string, kind: Lease['kind'], what: string, more: Partial<Lease> = {}): void {
  const at = new Date().toISOString();
  const whole: Lease = { id, kind, target: what, owner: 'test', holder: DEAD, at, ...more };
  const file = join(home, 'leases.jsonl');
  writeFileSync(file, `${JSON.stringify({ op: 'take', lease: whole })}\n`, { flag: 'a' });
}

/** The folder of a world that was being built, 3 MiB large, and its lease. */
function leaseFolder(more: Partial<Lease> = {}): string {
  const folder = join(home, 'worlds/half');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'disk'), Buffer.alloc(3 * 1024 * 1024, 1));
  lease('folder', 'folder', folder, more);
  return folder;
}

function openIds(): string[] {
  return openLeases(readFileSync(join(home, 'leases.jsonl'), 'utf8').split('\n')).map(({ id }) => id);
}

function gc(...flags: string[]): Promise<Ended> {
  return runCli(home, ['gc', ...flags], makeToolFolder(home, { virsh: 'virsh-without-daemon' }));
}

/** A libvirt with a machine and a pool of some state folder. */
function defineWorld(stateDir: string): {
  env: NodeJS.ProcessEnv;
  names: string[];
  listLeft: () => string[];
} {
  const libvirt = join(home, 'libvirt');
  const name = worldLibvirtName(stateDir, 'default');
  const { pool } = statePaths(stateDir).world('default');
  const files = {
    [`domains/${name}-node-1`]: `<domain><disk><source file='${pool}/node-1.qcow2'/></disk></domain>`,
    [`pools/${name}`]: `<pool><target><path>${pool}</path></target></pool>`,
  };
  for (const folder of ['domains', 'pools', 'running']) mkdirSync(join(libvirt, folder), { recursive: true });
  for (const [path, xml] of Object.entries(files)) writeFileSync(join(libvirt, path), xml);
  return {
    env: { ...makeToolFolder(home, { virsh: 'virsh-of-files' }), FAKE_LIBVIRT: libvirt },
    names: [`domain ${name}-node-1`, `pool ${name}`],
    listLeft: () => Object.keys(files).filter((path) => existsSync(join(libvirt, path))),
  };
}

describe('lab gc on a host where a clone was deleted', () => {
  it('removes its machines and its pool, and says whose they were', async () => {
    const gone = join(home, 'gone/.lab');
    const { env, names, listLeft } = defineWorld(gone);
    const planned = await runCli(home, ['gc', '--dry-run'], env);
    expect(planned.stdout).toBe(
      [
        ...names.map((name) => `would remove ${name} (${gone}, which is gone)`),
        '0.0 MiB would be freed\n',
      ].join('\n'),
    );
    expect(listLeft()).toHaveLength(2);
    const doctor = await runCli(home, ['doctor'], env);
    expect(doctor.stdout).toContain(`${names[0]!} (${gone}, which is gone)`);
    expect((await runCli(home, ['gc'], env)).status).toBe(0);
    expect(listLeft()).toEqual([]);
  });

  it('leaves those of clones alone that are there', async () => {
    const other = join(home, 'other/.lab');
    mkdirSync(other, { recursive: true });
    const { env, listLeft } = defineWorld(other);
    expect(await runCli(home, ['gc'], env)).toMatchObject({ status: 0, stdout: 'nothing to clean up\n' });
    expect(listLeft()).toHaveLength(2);
  });
});

describe('lab gc', () => {
  it('says that there is nothing to do on a clean host', async () => {
    expect(await gc()).toMatchObject({ status: 0, stdout: 'nothing to clean up\n' });
  });

  it('removes the folder and forgets the port of a lab that crashed, what uses first', async () => {
    const folder = leaseFolder();
    lease('port', 'port', '40001');
    const ended = await gc('--json');
    expect(ended.status).toBe(0);
    const report = JSON.parse(ended.stdout) as { removed: { kind: string }[]; freedBytes: number };
    expect(report.removed.map(({ kind }) => kind)).toEqual(['port', 'folder']);
    expect(report.freedBytes).toBeGreaterThanOrEqual(3 * 1024 * 1024);
    expect(existsSync(folder)).toBe(false);
    expect(openIds()).toEqual([]);
  });

  it('ends what a lab that crashed left running, and nobody else with that file', async () => {
    const file = join(home, 'registries/x/config.yml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    const started = ['registry', 'editor'].map((name) => {
      symlinkSync('/usr/bin/tail', join(home, name));
      return spawn(join(home, name), ['-f', file], { stdio: 'ignore' });
    });
    const [ours, other] = started;
    try {
      await Promise.all(started.map((child) => once(child, 'spawn')));
      const ended = once(ours!, 'exit');
      lease('process', 'process', file, { owner: 'default/slow-pull', detail: 'registry' });
      expect((await gc('--dry-run')).stdout).toContain(`would remove process ${file}`);
      expect((await gc()).stdout).toContain(`removed process ${file}`);
      expect(await ended).toEqual([null, 'SIGTERM']);
      expect([other?.exitCode, other?.signalCode]).toEqual([null, null]);
      expect(openIds()).toEqual([]);
    } finally {
      for (const child of started) child.kill('SIGKILL');
    }
  });

  it('changes nothing in a dry run', async () => {
    const folder = leaseFolder();
    const ended = await gc('--dry-run');
    expect(ended.status).toBe(0);
    expect(ended.stdout).toContain(`would remove folder ${folder}`);
    expect(existsSync(folder)).toBe(true);
    expect(openIds()).toEqual(['folder']);
  });

  it.each([
    ['words', 'not json'],
    ['the beginning of a lease', '{"op":"take","lease":{"id":"x","kind":"dom'],
    ['another format', '{"op":"take","lease":{"id":"x","kind":"cluster","target":"y"}}'],
    ['a release of nobody', '{"op":"release"}'],
    ['nothing', ''],
    ['NULs, as a lost page of a disk', '\0'.repeat(64)],
  ])('says which lines of the list it cannot read, and keeps them: %s', async (_, text) => {
    const folder = leaseFolder();
    const file = join(home, 'leases.jsonl');
    writeFileSync(file, `${text}\n`, { flag: 'a' });
    lease('port', 'port', '40001');
    const ended = await gc('--json');
    expect(ended.status).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ unread: [{ file, line: 2 }] });
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(file, 'utf8')).toContain(`\n${text}\n`);
    const again = await gc();
    expect(again.stdout).toContain(
      `what they name is not removed:\n  ${file}:2\nremove by hand what they name`,
    );
    expect(again.stdout).toMatch(/^nothing to clean up\n/);
  });

  it('leaves the things of a living lab alone', async () => {
    const folder = leaseFolder({ holder: process.pid });
    expect(await gc()).toMatchObject({ status: 0, stdout: 'nothing to clean up\n' });
    expect(existsSync(folder)).toBe(true);
    expect(openIds()).toEqual(['folder']);
  });

  it('leaves a world alone that was brought up and is meant to stay', async () => {
    const folder = join(home, 'worlds/default');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'world.json'), '{"state":"ready"}');
    lease('folder', 'folder', folder, { owner: 'default' });
    expect(await gc()).toMatchObject({ status: 0, stdout: 'nothing to clean up\n' });
    writeFileSync(join(folder, 'world.json'), '{"state":"building"}');
    expect((await gc()).stdout).toContain(`removed folder ${folder}`);
  });

  it('refuses folders elsewhere and domains of others, keeps their leases and exits with 3', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'somebody-'));
    try {
      lease('folder', 'folder', elsewhere);
      lease('escape', 'folder', `${home}/worlds/../../${elsewhere.slice('/tmp/'.length)}`);
      lease('home', 'folder', home);
      const ended = await gc();
      expect(ended.status).toBe(3);
      expect(ended.stdout).toContain(`not removed: folder ${elsewhere}`);
      expect(existsSync(elsewhere)).toBe(true);
      expect(openIds()).toEqual(['folder', 'escape', 'home']);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('does what it can when libvirt does not answer, and says what is left', async () => {
    lease('domain', 'domain', 'whodunit-00000000-x-node-1', { detail: 'qemu:///system' });
    const folder = leaseFolder();
    const ended = await gc();
    expect(ended.status).toBe(3);
    expect(ended.stdout).toContain('not removed: domain whodunit-00000000-x-node-1');
    expect(existsSync(folder)).toBe(false);
    expect(openIds()).toEqual(['domain']);
  });

  it('removes unfinished work from the cache when its maker is dead', async () => {
    const components = join(home, 'cache/components');
    const [dead, living] = [
      join(components, `.building-${DEAD}-x`),
      join(components, `.building-${process.pid}-x`),
    ];
    for (const folder of [dead, living]) mkdirSync(folder, { recursive: true });
    expect((await gc()).status).toBe(0);
    expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
  });

  it('removes files that a lab was writing when it was killed, and its temporary folders', async () => {
    const temporary = join(home, 'tmp');
    const left = [
      ...[join(home, 'lab.lock.1-2-3'), join(home, 'runs/1/cells/default/a/result.json')].map(
        (path) => `${path}.${DEAD}.tmp`,
      ),
      join(temporary, `whodunit-tmp-${DEAD}-abc/boot-sector.img`),
    ];
    const kept = [
      join(home, `worlds/x/world.json.${process.pid}.tmp`),
      join(temporary, 'whodunit-tmp-notes/a'),
    ];
    for (const path of [...left, ...kept]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    }
    const env = { ...makeToolFolder(home, { virsh: 'virsh-without-daemon' }), TMPDIR: temporary };
    expect((await runCli(home, ['gc'], env)).status).toBe(0);
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => existsSync(path))).toEqual(kept);
    expect(existsSync(join(temporary, `whodunit-tmp-${DEAD}-abc`))).toBe(false);
  });
});
