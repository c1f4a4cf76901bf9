import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkVersions } from '../../../../provision/image/check-versions.ts';
import { describeKernel, foreignKernel, readKernelRelease } from '../../../../provision/image/kernel.ts';

describe('kernel of an image', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'whodunit-kernel-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const write = (change: (image: Buffer) => void): string => {
    const image = Buffer.alloc(0x4000);
    image.write('HdrS', 0x202, 'latin1');
    image.writeUInt16LE(0x3000, 0x20e);
    image.write('6.12.3-mine (me@here) #1 SMP\0', 0x3200, 'latin1');
    change(image);
    const path = join(dir, 'vmlinuz');
    writeFileSync(path, image);
    return path;
  };

  it('that is a file says its release itself', () => {
    expect(readKernelRelease(write(() => undefined))).toBe('6.12.3-mine');
  });

  it.each([
    ['has no boot header', (image: Buffer) => void image.write('ELF!', 0x202, 'latin1')],
    ['names no release', (image: Buffer) => void image.fill(0, 0x3200)],
  ])('that is a file is refused when it %s', (_what, change) => {
    expect(() => readKernelRelease(write(change))).toThrow(/not an x86 kernel/);
  });

  it('is foreign only when it is not the one of the suite', () => {
    expect(foreignKernel({ suite: 'trixie' })).toBeUndefined();
    expect(foreignKernel({ suite: 'trixie', kernel: { from: 'suite', suite: 'trixie' } })).toBeUndefined();
    const other = { from: 'suite', suite: 'bookworm' } as const;
    expect(foreignKernel({ suite: 'trixie', kernel: other })).toBe(other);
  });

  it('that is a file is an input by its content, not by its name', () => {
    const one = describeKernel({ from: 'file', path: '/a', digest: 'd1' });
    expect(one).toBe(describeKernel({ from: 'file', path: '/b', digest: 'd1' }));
    expect(one).not.toBe(describeKernel({ from: 'file', path: '/a', digest: 'd2' }));
  });
});

describe('versions read back from the guest root', () => {
  const artifact = (component: string, version: string, names: readonly string[]) => ({
    component,
    version,
    source: 'gomod',
    digest: 'd',
    files: Object.fromEntries(names.map((name) => [name, `/host/${name}`])),
  });

  it('pass when each program prints what was asked for', () => {
    const artifacts = [artifact('runc', '1.1.12', ['runc']), artifact('kubernetes', '1.34.2', ['kubelet'])];
    expect(() => checkVersions({ artifacts }, { runc: '1.1.12', kubelet: '1.34.2' })).not.toThrow();
  });

  it('name every program that is another than was asked for', () => {
    const artifacts = [artifact('runc', '1.1.12', ['runc']), artifact('containerd', '2.1.4', ['containerd'])];
    expect(() => checkVersions({ artifacts }, { runc: '1.1.5+ds1' })).toThrow(
      'runc prints 1.1.5+ds1, not 1.1.12; containerd prints nothing, not 2.1.4',
    );
  });

  it('are not compared for local builds and for packages of the suite', () => {
    const artifacts = [
      artifact('runc', 'apt', []),
      artifact('containerd', 'file:out@sha256:0', ['containerd']),
      artifact('kubernetes', '1.34.2@file:kubelet@sha256:0', ['kubelet']),
    ];
    expect(() => checkVersions({ artifacts }, { kubelet: '1.34.2-dirty' })).not.toThrow();
  });
});
