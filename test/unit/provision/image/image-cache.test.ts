import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostError } from '../../../../lab/model/errors.ts';
import { BAKE_DISK_MIB, checkBakeDisk } from '../../../../provision/layers/disk-space.ts';
import {
  planGuestPrograms,
  planReplacedPackages,
  readGuestFiles,
  renderGuestFiles,
} from '../../../../provision/image/guest-files.ts';
import {
  compareInputs,
  digestInputs,
  explainMiss,
  findImageRecord,
} from '../../../../provision/layers/image-record.ts';
import { PROJECT } from '../../project-files.ts';

const hex = (digit: string): string => digit.repeat(64);

describe('image cache', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'whodunit-image-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const writeRecord = (name: string, inputs: Record<string, string>): void => {
    mkdirSync(join(dir, name));
    const record = {
      formatVersion: 1,
      digest: name,
      inputs,
      hostKey: 'ssh-ed25519 AAAA',
      versions: {},
      images: [],
      notes: [],
      bakedAt: '2026-01-01T00:00:00Z',
      bakeMs: 1,
    };
    writeFileSync(join(dir, name, 'image.json'), JSON.stringify(record));
  };

  it('addresses an image by all its inputs, whatever their order', () => {
    expect(digestInputs({ a: '1', b: '2' })).toBe(digestInputs({ b: '2', a: '1' }));
    expect(digestInputs({ a: '1', b: '2' })).not.toBe(digestInputs({ a: '1', b: '3' }));
  });

  it('says that the cache is empty', () => {
    expect(explainMiss(join(dir, 'none'), { suite: 'bookworm' })).toBe('there is no image in the cache');
  });

  it('says which input changed against the nearest image, with short digests', () => {
    writeRecord('far', { suite: 'sid' });
    writeRecord('near', { suite: 'bookworm', 'component etcd': `3.6.5 ${hex('a')}` });
    writeRecord('other', { suite: 'trixie' });
    expect(explainMiss(dir, { suite: 'bookworm', 'component etcd': `3.6.6 ${hex('b')}` })).toBe(
      'component etcd was 3.6.5 aaaaaaaaaaaa, is 3.6.6 bbbbbbbbbbbb',
    );
  });

  it('names inputs that are new or gone', () => {
    expect(compareInputs({ 'component witness': 'x' }, { 'component runsc': 'y' })).toBe(
      'component runsc is new; component witness is gone',
    );
  });

  it('takes a record that was cut short for no record', () => {
    mkdirSync(join(dir, 'cut'));
    writeFileSync(join(dir, 'cut', 'image.json'), '{"formatVersion": 1, "dig');
    expect(findImageRecord(join(dir, 'cut'))).toBeUndefined();
  });

  it('refuses to bake with too little disk and tells both figures', () => {
    expect(() => checkBakeDisk(dir, BAKE_DISK_MIB)).not.toThrow();
    const bake = (): void => checkBakeDisk(dir, BAKE_DISK_MIB - 1);
    expect(bake).toThrow(HostError);
    expect(bake).toThrow(`needs ${BAKE_DISK_MIB} MiB`);
  });
});

describe('guest files', () => {
  const files = readGuestFiles(join(PROJECT, 'provision/guest/files'));

  it('leave no placeholder once the pause image is known', () => {
    const rendered = renderGuestFiles(files, 'registry.k8s.io/pause:3.10.1');
    const containerd = rendered.find((file) => file.path === 'etc/containerd/config.toml');
    expect(containerd?.text).toContain('sandbox_image = "registry.k8s.io/pause:3.10.1"');
    expect(rendered.filter((file) => /@[A-Z_]+@/.test(file.text))).toEqual([]);
  });

  it('never limit what the journal takes, because it is evidence', () => {
    const journald = files.find((file) => file.path === 'etc/systemd/journald.conf.d/whodunit.conf');
    expect(journald?.text).toContain('RateLimitBurst=0');
  });

  it('put network plugins where containerd looks for them', () => {
    const plan = planGuestPrograms(new Map([['bridge', '/host/bridge']]));
    const binDir = /bin_dir = "\/(.*)"/.exec(
      files.find((f) => f.path === 'etc/containerd/config.toml')!.text,
    )![1];
    expect(plan.get('/host/bridge')).toBe(`${binDir}/bridge`);
  });

  it('put a component in the place of the package, whose own programs then go', () => {
    const programs = new Map(['containerd', 'ctr', 'runc', 'runsc'].map((name) => [name, `/host/${name}`]));
    expect(planGuestPrograms(programs)).toEqual(
      new Map([
        ['/host/containerd', 'usr/bin/containerd'],
        ['/host/ctr', 'usr/bin/ctr'],
        ['/host/runc', 'usr/sbin/runc'],
        ['/host/runsc', 'usr/local/bin/runsc'],
      ]),
    );
    expect(planReplacedPackages(programs)).toEqual(['containerd', 'runc']);
    expect(planReplacedPackages(new Map([['runsc', '/host/runsc']]))).toEqual([]);
  });
});
