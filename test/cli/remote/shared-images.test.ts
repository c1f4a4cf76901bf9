import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../lab/drivers/programs/command.ts';
import { openRemoteCache } from '../../../lab/drivers/remote/remote-cache.ts';
import { decompress } from '../../../lab/drivers/bundles/decompress.ts';
import { digestInputs } from '../../../lab/model/components/inputs.ts';
import type { Host } from '../../../lab/model/host/host.ts';
import { cachePaths } from '../../../lab/model/host/paths.ts';
import { takeEntry } from '../../../provision/cache/entry.ts';
import { imageKind } from '../../../provision/layers/image-kind.ts';
import { writeImageRecord } from '../../../provision/layers/image-record.ts';
import { pushCache } from '../../../lab/world/cache/push-cache.ts';
import { listSharedEntries } from '../../../lab/world/cache/shared-entries.ts';
import { createQuietHost } from '../../quiet-host.ts';
import { lacksRegistry, startDockerRegistry, type DockerRegistry } from '../../docker-registry.ts';

const INPUTS = { suite: 'bookworm', kubernetes: '1.34.2', kernel: "the suite's own" };
const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key';
const CLIENT_KEY = '/root/.ssh/authorized_keys';

describe.skipIf(lacksRegistry !== undefined)('an image in a remote cache', () => {
  let folder: string;
  let registry: DockerRegistry;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shared-images-'));
    registry = await startDockerRegistry(folder);
  });
  afterEach(async () => {
    await registry.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (name: string): Host => {
    const cacheDir = join(folder, name, 'cache');
    const transfers = cachePaths(cacheDir).transfers;
    const remote = openRemoteCache(registry.address, { run: runCommand, env: { HOME: folder }, transfers });
    return createQuietHost(folder, {
      run: runCommand,
      stateDir: join(folder, name),
      cacheDir,
      openRemote: () => Promise.resolve(remote),
    });
  };
  const run = (program: string, ...words: string[]): string =>
    execFileSync(program, words, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  const cat = (dir: string, path: string): string => run('debugfs', '-R', `cat ${path}`, join(dir, 'base.raw'));

  /** Bakes a small image with a disk that is mostly a hole, as bake.sh does. */
  const bake = (host: Host, inputs: Readonly<Record<string, string>> = INPUTS): string => {
    const digest = digestInputs(inputs);
    const dir = join(cachePaths(host.cacheDir).images, digest.slice(0, 12));
    const root = join(folder, `root-${digest.slice(0, 12)}`);
    for (const path of [dir, join(dir, 'users'), join(root, 'etc/ssh'), join(root, 'root/.ssh')])
      mkdirSync(path, { recursive: true });
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'whodunit-node', '-f', join(root, HOST_KEY));
    run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'whodunit', '-f', join(dir, 'id_ed25519'));
    writeFileSync(join(root, CLIENT_KEY), readFileSync(join(dir, 'id_ed25519.pub')));
    writeFileSync(join(root, 'etc/motd'), 'welcome');
    run('mke2fs', '-q', '-t', 'ext4', '-d', root, join(dir, 'base.raw'), '256M');
    for (const name of ['vmlinuz', 'initrd.img']) writeFileSync(join(dir, name), name);
    writeFileSync(join(dir, 'users', 'abc'), '/home/ann/.lab');
    writeImageRecord(dir, {
      formatVersion: 1,
      digest,
      inputs,
      hostKey: readFileSync(join(root, `${HOST_KEY}.pub`), 'utf8').split(' ').slice(0, 2).join(' '),
      versions: {},
      images: [],
      notes: [],
      bakedAt: '',
      bakeMs: 0,
    });
    return dir;
  };
  const push = async (host: Host) => {
    const remote = await host.openRemote();
    return (await pushCache(host, remote!, listSharedEntries(host))).entries;
  };

  it('has no key; who takes it makes keys of its own, in a disk that is whole and has its holes', async () => {
    const first = open('first');
    const from = bake(first);
    expect(await push(first)).toMatchObject([{ kind: 'image', result: 'sent' }]);
    const second = open('second');
    const image = await takeEntry(second, { kind: imageKind(second.cacheDir), inputs: INPUTS });
    const dir = image?.dir ?? '';

    for (const path of [HOST_KEY, CLIENT_KEY]) expect(cat(dir, path)).not.toBe(cat(from, path));
    expect(cat(dir, CLIENT_KEY)).toBe(readFileSync(join(dir, 'id_ed25519.pub'), 'utf8'));
    const hostKey = join(folder, 'host-key');
    writeFileSync(hostKey, cat(dir, HOST_KEY), { mode: 0o600 });
    expect(run('ssh-keygen', '-y', '-f', hostKey)).toContain(image?.hostKey ?? 'no key');
    expect(statSync(join(dir, 'id_ed25519')).mode & 0o777).toBe(0o600);
    expect(cat(dir, '/etc/motd')).toBe('welcome');
    expect(run('e2fsck', '-fn', join(dir, 'base.raw'))).toContain('blocks');
    const [disk, source] = [dir, from].map((path) => statSync(join(path, 'base.raw')));
    expect(disk?.size).toBe(source?.size);
    expect(disk?.blocks).toBeLessThanOrEqual((source?.blocks ?? 0) + 1024);
    expect(readdirSync(dir)).not.toContain('users');

    const secrets = [cat(from, HOST_KEY), cat(from, CLIENT_KEY), readFileSync(join(from, 'id_ed25519'), 'utf8')]
      .flatMap((key) => key.split(/[\n ]/))
      .filter((line) => line.length >= 40);
    expect(secrets.length).toBeGreaterThan(6);
    const sent = Buffer.concat(await Promise.all(registry.listBlobs().map((digest) => unpack(registry, digest))));
    expect(sent.includes('welcome')).toBe(true);
    for (const secret of [...secrets, '/home/ann']) expect(sent.includes(secret)).toBe(false);
  });

  it('is not there when it has a build of your own', async () => {
    const first = open('first');
    bake(first, { ...INPUTS, 'component runc': 'file:my-runc@sha256:abc def' });
    bake(first, { ...INPUTS, kernel: 'file abc' });
    expect((await push(first)).map(({ result, why }) => `${result}: ${why}`)).toEqual(
      expect.arrayContaining([
        'kept: it has a build of your own: component runc',
        'kept: it has a build of your own: kernel',
      ]),
    );
    expect(registry.listBlobs()).toEqual([]);
  });

  it('is not sent when a key is where nobody expects it', async () => {
    const first = open('first');
    const dir = bake(first);
    writeFileSync(join(dir, 'initrd.img'), readFileSync(join(dir, 'id_ed25519')));
    await expect(push(first)).rejects.toThrow(/a secret is in initrd.img/);
  });
});

/** What is in a blob: unpacked, where it is packed. */
async function unpack(registry: DockerRegistry, digest: string): Promise<Buffer> {
  const content = readFileSync(join(registry.blobs, digest.slice(0, 2), digest, 'data'));
  if (content.readUInt32LE() !== 0xfd2fb528) return content;
  const parts: Uint8Array[] = [];
  const packed = (async function* () {
    yield await Promise.resolve(content);
  })();
  for await (const part of decompress('zstd', packed)) parts.push(part);
  return Buffer.concat(parts);
}
