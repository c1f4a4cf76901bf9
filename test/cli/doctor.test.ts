import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctorSchema, type DoctorResult } from '../../lab/model/saved/doctor.ts';
import { PROJECT, runCli, runProgram } from './support/run-cli.ts';
import { makeToolFolder } from './support/tool-folder.ts';

let home: string;
const isRoot = process.getuid?.() === 0;
const MEMORY_CGROUP = '/sys/fs/cgroup/memory';
const hasMemoryCgroup = isRoot && readdirSync('/sys/fs/cgroup').includes('memory');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'whodunit-doctor-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function parse(stdout: string): DoctorResult {
  return doctorSchema.parse(JSON.parse(stdout));
}

function checkOf(result: DoctorResult, name: string) {
  return result.checks.find((check) => check.name === name);
}

describe('lab doctor', () => {
  it('names a missing virsh and prints one line that installs it, and exits with 3', async () => {
    const env = makeToolFolder(home, { virsh: undefined, sudo: undefined });
    const ended = await runCli(home, ['doctor'], env);
    expect(ended.status).toBe(3);
    expect(ended.stdout).toContain('✗ packages         missing: virsh');
    const lines = ended.stdout.split('\n').filter((line) => line.includes('apt-get install'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('install -y --no-install-recommends libvirt-clients');
    expect(ended.stdout).toContain('fix: fix "packages" first');
  });

  it('gives a virsh that hangs its time limit, says so, and leaves no process', async () => {
    const env = makeToolFolder(home, { virsh: 'virsh-hangs' });
    const ended = await runCli(home, ['doctor', '--json'], env);
    expect(ended.status).toBe(3);
    const check = checkOf(parse(ended.stdout), 'libvirt');
    expect(check).toMatchObject({ ok: false });
    expect(check?.found).toContain('no answer within 10 s');
    expect(listStarted()).toEqual([]);
  });

  it('still prints the line to run when apt-get --fix has no rights', async () => {
    const tools = { xsltproc: undefined, 'apt-get': 'apt-get-without-rights', sudo: undefined };
    const ended = await runCli(home, ['doctor', '--fix'], makeToolFolder(home, tools));
    expect(ended.status).toBe(3);
    expect(ended.stdout).toContain('apt-get install -y --no-install-recommends xsltproc');
    if (isRoot) expect(ended.stderr).toContain('are you root?');
  });

  it('does not believe in an accelerator that boots nothing', async () => {
    const env = makeToolFolder(home, { 'qemu-system-x86_64': 'qemu-without-kvm' });
    const ended = await runCli(home, ['doctor', '--json'], env);
    expect(ended.status).toBe(3);
    const check = checkOf(parse(ended.stdout), 'accelerator');
    expect(check).toMatchObject({ ok: false });
    expect(check?.found).toContain('failed to set MSR');
  });

  it('reports what a dead lab left, and how to remove it', async () => {
    const lease = {
      id: '1',
      kind: 'folder',
      target: join(home, 'worlds/x'),
      owner: 'x',
      holder: 4194303,
      at: '2026-01-01T00:00:00Z',
    };
    writeFileSync(join(home, 'leases.jsonl'), `${JSON.stringify({ op: 'take', lease })}\n`);
    const ended = await runCli(home, ['doctor', '--json']);
    expect(ended.status).toBe(3);
    expect(checkOf(parse(ended.stdout), 'leftovers')).toMatchObject({ ok: false, fix: 'npx whodunit gc' });
  });

  it.skipIf(!isRoot)('finds a state folder on a disk that is too small', async () => {
    const small = join(home, 'small');
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'whodunit-test', small]);
    try {
      const ended = await runCli(small, ['doctor', '--json']);
      expect(ended.status).toBe(3);
      const check = checkOf(parse(ended.stdout), 'disk');
      expect(check?.found).toContain(`1 MiB free at ${small}`);
      expect(check?.fix).toContain('WHODUNIT_HOME=');
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it.skipIf(!hasMemoryCgroup)('finds that a limited cgroup has too little memory for a world', async () => {
    const group = join(MEMORY_CGROUP, `whodunit-test-${process.pid}`);
    mkdirSync(group);
    try {
      writeFileSync(join(group, 'memory.limit_in_bytes'), String(1024 ** 3));
      const script = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
      const words = [process.execPath, join(PROJECT, 'bin/whodunit.mjs'), 'doctor', '--json'];
      const env = { WHODUNIT_HOME: home, npm_lifecycle_event: undefined };
      const ended = await runProgram('sh', ['-c', script, group, ...words], env);
      expect(ended.status).toBe(3);
      expect(checkOf(parse(ended.stdout), 'memory')).toMatchObject({ ok: false });
    } finally {
      rmdirWhenEmpty(group);
    }
  });
});

function rmdirWhenEmpty(group: string): void {
  execFileSync('rmdir', [group]);
}

/** Processes that a lab of this state folder has started, whatever else runs on the host: they know where it is. */
function listStarted(): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(home);
      } catch {
        return false; // it ended meanwhile
      }
    });
}
