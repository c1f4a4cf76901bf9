import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseComponents } from '../../../../lab/model/components/components.ts';
import { ensureComponents } from '../../../../provision/components/components.ts';
import { digestFile, digestFiles } from '../../../../provision/components/digest.ts';
import type { ComponentHost } from '../../../../provision/components/source.ts';
import { createQuietHost } from '../../../quiet-host.ts';

/** Digest of what the release downloads. */
const RELEASED = createHash('sha256').update('released').digest('hex');

const catalogue = parseComponents(`
formatVersion: 1
debian: { archive: 'http://mirror.test/debian/', security: 'http://mirror.test/debian-security/' }
components:
  runc: { about: one program, versions: {}, sources: [{ kind: file, programs: [runc] }] }
  runsc: { about: two programs, versions: {}, sources: [{ kind: file, programs: [runsc, shim] }] }
  kubernetes:
    about: a release with one program replaced
    versions: { '1.34': 1.34.2 }
    sources:
      - kind: release
        downloads:
          - { url: 'https://x/kubelet', checksum: '{url}.sha256', binary: kubelet }
          - { url: 'https://x/kubeadm', checksum: '{url}.sha256', binary: kubeadm }
      - { kind: file, programs: [kubelet], replaces: true }
`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-builds-'));
  mkdirSync(join(folder, 'out'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, 'out', name);
  writeFileSync(path, text);
  return path;
};

const host = (): ComponentHost => createQuietHost(folder);
const ensure = async (name: string, version: string) => {
  const [artifact] = await ensureComponents(host(), catalogue, [{ name, version }]);
  if (artifact === undefined) throw new Error('nothing was made');
  return artifact;
};

describe('a local build', () => {
  it('is copied into the cache, executable, and named by what is in it', async () => {
    write('my-runsc', 'one');
    write('shim', 'two');
    const artifact = await ensure('runsc', 'file:./out/my-runsc');
    const digest = digestFiles({
      runsc: await digestFile(join(folder, 'out', 'my-runsc')),
      shim: await digestFile(join(folder, 'out', 'shim')),
    });
    expect(artifact).toMatchObject({
      source: 'file',
      version: `file:my-runsc@sha256:${digest.slice(0, 12)}`,
      digest,
    });
    write('my-runsc', 'built anew');
    expect(readFileSync(artifact.files['runsc'] ?? '', 'utf8')).toBe('one');
    expect(statSync(artifact.files['shim'] ?? '').mode & 0o777).toBe(0o755);
  });

  it('goes beside the program of a node under another name, and is made once', async () => {
    write('my-runc', 'built');
    const version = 'file:./out/my-runc';
    const [own, beside] = await ensureComponents(host(), catalogue, [
      { name: 'runc', version },
      { name: 'runc-under-test', version },
    ]);
    expect(own).toMatchObject({ component: 'runc', files: { runc: expect.any(String) as string } });
    expect(beside).toEqual({
      ...own,
      component: 'runc-under-test',
      files: { 'runc-under-test': own?.files['runc'] },
    });
    expect(readdirSync(dirname(dirname(own?.files['runc'] ?? '')))).toHaveLength(1);
  });

  it('may be the folder of all its programs, relative or absolute', async () => {
    write('runsc', 'one');
    write('shim', 'two');
    const relative = await ensure('runsc', 'file:out');
    expect(relative.version).toMatch(/^file:out@sha256:[0-9a-f]{12}$/);
    expect(await ensure('runsc', `file:${join(folder, 'out')}`)).toEqual(relative);
    expect(readdirSync(join(folder, 'cache', 'components'))).toHaveLength(1);
  });

  it('is another version as soon as one of its programs changes', async () => {
    write('runsc', 'one');
    write('shim', 'two');
    const before = await ensure('runsc', 'file:out');
    write('shim', 'three');
    const after = await ensure('runsc', 'file:out');
    expect(after.version).not.toBe(before.version);
    expect(readFileSync(after.files['shim'] ?? '', 'utf8')).toBe('three');
  });

  it('is refused without its shim, and without anything, in one message', async () => {
    write('runsc', 'one');
    await expect(ensure('runsc', 'file:./out/runsc')).rejects.toMatchObject({
      code: 'LAB_USAGE',
      lastSeen: `missing: ${join(folder, 'out', 'shim')} (shim)`,
    });
    await expect(ensure('runsc', 'file:./nowhere/runsc')).rejects.toMatchObject({
      lastSeen: expect.stringMatching(/nowhere\/runsc \(runsc\), .*nowhere\/shim \(shim\)/) as string,
    });
  });
});

describe('a local build of a program of a release', () => {
  it('takes the place of that program alone, and is no release any more', async () => {
    const kubelet = write('kubelet', 'mine');
    const downloading: ComponentHost = {
      ...host(),
      download: async (url, file) => {
        writeFileSync(file, url.endsWith('.sha256') ? RELEASED : 'released');
        return { ok: true, bytes: 8 };
      },
    };
    const [plain, replaced] = await ensureComponents(downloading, catalogue, [
      { name: 'kubernetes', version: '1.34' },
      { name: 'kubernetes', version: `1.34@file:${kubelet}` },
    ]);
    expect(replaced?.version).toMatch(/^1\.34\.2@file:kubelet@sha256:[0-9a-f]{12}$/);
    expect(replaced?.source).toBe('file');
    expect(replaced?.digest).not.toBe(plain?.digest);
    expect(readFileSync(replaced?.files['kubelet'] ?? '', 'utf8')).toBe('mine');
    expect(replaced?.files['kubeadm']).toBe(plain?.files['kubeadm']);
    expect(dirname(plain?.files['kubelet'] ?? '')).toBe(dirname(plain?.files['kubeadm'] ?? ''));
  });

  it('is looked for before the release is built', async () => {
    await expect(ensure('kubernetes', '1.34.2@file:./out/kubelet')).rejects.toMatchObject({
      code: 'LAB_USAGE',
    });
  });
});
