import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLibvirt, type Libvirt } from '../../../../lab/drivers/machines/libvirt.ts';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import type { RunCommand } from '../../../../lab/model/host/host.ts';

let folder: string;
let calls: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-libvirt-'));
  calls = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A virsh that gives these answers by the first words of its command; it fails with the others. */
function libvirtWith(
  answers: Readonly<Record<string, string>>,
  said = 'error: failed to get domain',
): Libvirt {
  const run: RunCommand = (_program, words) => {
    const command = words.slice(words.indexOf('-c') + 2).join(' ');
    calls.push(command);
    const found = Object.keys(answers).find((start) => command.startsWith(start));
    if (found !== undefined)
      return Promise.resolve({ status: 0, stdout: answers[found] ?? '', stderr: '', durationMs: 0 });
    return Promise.reject(new CommandError({ command, failure: 'exit-code', status: 1, tail: said }));
  };
  return createLibvirt(run, { uri: 'test:///default' });
}

describe('a domain', () => {
  it('that is gone, or off, needs nothing more', async () => {
    const gone = libvirtWith({ 'list --all': 'other\n' }, 'error: whatever a later libvirt says');
    expect(await gone.domainState('mine')).toBeUndefined();
    await gone.destroyDomain('mine');
    await gone.undefineDomain('mine');
    const off = libvirtWith({ 'list --all': 'mine\n', domstate: 'shut off\n' });
    await off.destroyDomain('mine');
  });

  it('that is still there makes a failure an error, whatever virsh said', async () => {
    const there = libvirtWith({ 'list --all': 'mine\n', domstate: 'running\n' });
    await expect(there.destroyDomain('mine')).rejects.toMatchObject({ failure: 'exit-code' });
    const stubborn = libvirtWith({ 'list --all': 'mine\n', destroy: '' });
    await expect(stubborn.undefineDomain('mine')).rejects.toMatchObject({ failure: 'exit-code' });
    await expect(stubborn.domainState('mine')).rejects.toMatchObject({ failure: 'exit-code' });
  });
});

describe('the files of a domain', () => {
  it('are those of its disks and consoles, not its image and not what is no file', async () => {
    const xml = `<domain><os><kernel>/cache/vmlinuz</kernel></os><devices>
      <disk type='file'><source file='/a &amp; b/pool/node-1.qcow2'/><target dev='vda'/></disk>
      <disk type='network'><source protocol='nbd' name='x'/></disk>
      <serial type='file'><source path='/a &amp; b/node-1.console.log' append='on'/></serial>
      </devices></domain>`;
    expect(await libvirtWith({ dumpxml: xml }).listDomainFiles('mine')).toEqual([
      '/a & b/pool/node-1.qcow2',
      '/a & b/node-1.console.log',
    ]);
  });

  it('are none when the domain is gone meanwhile', async () => {
    expect(await libvirtWith({ 'list --all': 'other\n' }).listDomainFiles('mine')).toEqual([]);
    const there = libvirtWith({ 'list --all': 'mine\n' });
    await expect(there.listDomainFiles('mine')).rejects.toMatchObject({ failure: 'exit-code' });
  });
});

describe('the disk of a domain', () => {
  it('is bounded, and unbounded, while the domain runs', async () => {
    const lib = libvirtWith({ blkdeviotune: '' });
    await lib.limitReads('mine', 100);
    await lib.limitReads('mine', 0);
    expect(calls).toEqual([
      'blkdeviotune --domain mine --device vda --read-iops-sec 100 --live',
      'blkdeviotune --domain mine --device vda --read-iops-sec 0 --live',
    ]);
  });
});

describe('a pool', () => {
  const pool = (path: string, volumes: string[] = []): Record<string, string> => ({
    'pool-list': 'mine\n',
    'pool-dumpxml': `<pool><target><path>${path}</path></target></pool>`,
    'pool-refresh': '',
    'vol-list': volumes.map((name) => ` ${name}   ${path}/${name}\n`).join(''),
    'vol-delete': '',
    'pool-destroy': '',
    'pool-delete': '',
    'pool-undefine': '',
  });
  const steps = (): string[] => calls.filter((call) => !call.startsWith('pool-list'));

  it('goes with its volumes and its folder', async () => {
    await libvirtWith(pool(folder, ['node 1.qcow2'])).removePool('mine');
    expect(steps().map((step) => step.replace(' --pool mine', ''))).toEqual([
      'pool-dumpxml',
      'pool-refresh',
      'vol-list',
      'vol-delete --vol node 1.qcow2',
      'pool-destroy',
      'pool-delete',
      'pool-undefine',
    ]);
  });

  it('in a folder whose name XML has to escape goes with it as well', async () => {
    mkdirSync(join(folder, 'a & b'));
    await libvirtWith(pool(join(folder, 'a &amp; b'))).removePool('mine');
    expect(steps()).toContain('pool-delete --pool mine');
  });

  it('whose folder is gone is forgotten; one whose folder holds other files leaves it', async () => {
    await libvirtWith(pool(join(folder, 'gone'))).removePool('mine');
    expect(steps()).toEqual([
      'pool-dumpxml --pool mine',
      'pool-destroy --pool mine',
      'pool-undefine --pool mine',
    ]);
    const kept = join(folder, 'kept');
    mkdirSync(kept);
    writeFileSync(join(kept, 'notes'), '');
    calls = [];
    await libvirtWith(pool(kept)).removePool('mine');
    expect(steps()).not.toContain('pool-delete --pool mine');
    expect(steps().at(-1)).toBe('pool-undefine --pool mine');
  });

  it('has a folder while it is there', async () => {
    expect(await libvirtWith(pool('/a &amp; b')).findPoolFolder('mine')).toBe('/a & b');
    expect(await libvirtWith({ 'pool-list': 'other\n' }).findPoolFolder('mine')).toBeUndefined();
  });

  it('that does not exist needs nothing, and one that cannot be removed is an error', async () => {
    await libvirtWith({ 'pool-list': 'mine-too\n' }).removePool('mine');
    expect(steps()).toEqual([]);
    const answers = Object.fromEntries(
      Object.entries(pool(folder)).filter(([command]) => command !== 'pool-destroy'),
    );
    await expect(libvirtWith(answers, 'not found: no pool').removePool('mine')).rejects.toMatchObject({
      failure: 'exit-code',
    });
  });
});
