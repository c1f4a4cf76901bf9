import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../../../lab/model/errors/errors.ts';
import type { Host, RunCommand } from '../../../../lab/model/host/host.ts';
import type { ImageSpec } from '../../../../lab/model/components/image.ts';
import { digestInputs } from '../../../../lab/model/components/inputs.ts';
import { cachePaths } from '../../../../lab/model/host/paths.ts';
import { entryPath } from '../../../../provision/cache/entry-kind.ts';
import { explainMiss } from '../../../../provision/cache/entry.ts';
import { listGuestPackages } from '../../../../provision/image/packages.ts';
import { collectImageInputs, ensureImage, explainImage } from '../../../../provision/layers/image.ts';
import { imageKind } from '../../../../provision/layers/image-kind.ts';
import { findImageRecord } from '../../../../provision/layers/image-record.ts';
import { listImageUsers } from '../../../../provision/layers/image-users.ts';
import {
  ensureRootFilesystem,
  rootFilesystemInputs,
  rootFilesystemKey,
  rootFilesystemKind,
} from '../../../../provision/layers/root-filesystem.ts';
import { collectStoreInputs, keepStore, storeKind } from '../../../../provision/layers/store.ts';
import { createQuietHost, quietProgress } from '../../../quiet-host.ts';
import { PROJECT } from '../../project-files.ts';

const PROGRAMS = [
  'kubelet',
  'kubeadm',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'coredns',
  'bridge',
  'host-local',
  'loopback',
  'portmap',
];
const packages = [...listGuestPackages('bookworm')].sort();

let folder: string;
let notes: string[];
/** What stands in for bake.sh; it gets the work folder. */
let bakeScript: (work: string) => void;
let host: Host;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whodunit-layers-'));
  notes = [];
  bakeScript = bakeWell;
  const progress = { ...quietProgress, note: (text: string) => void notes.push(text) };
  host = createQuietHost(folder, { projectDir: PROJECT, uid: 0, run: runTool, progress });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The host tools of a bake. */
const runTool: RunCommand = async (program, args) => {
  if (program === 'ssh-keygen') {
    const path = args.at(-1) ?? '';
    writeFileSync(path, 'key');
    writeFileSync(`${path}.pub`, 'ssh-ed25519 AAAA whodunit');
  } else if (program === 'sh') {
    const script = args.findIndex((word) => word.endsWith('bake.sh'));
    bakeScript(args[script + 1] ?? '');
  }
  const stdout = program.endsWith('kubeadm') ? 'registry.test/etcd:3.6.5-0\nregistry.test/pause:3.10\n' : '';
  return { status: 0, stdout, stderr: '', durationMs: 0 };
};

function bakeWell(work: string): void {
  for (const name of ['base.raw', 'vmlinuz', 'initrd.img']) writeFileSync(join(work, 'out', name), name);
  writeFileSync(join(work, 'versions'), 'kubelet\t1.34.2\nkubeadm\t1.34.2\n');
}

/** An image of Kubernetes 1.34.2 with a witness of that digest. */
const DEBIAN = { archive: 'http://mirror.test/debian', security: 'http://mirror.test/debian-security' };

function specOf(witness: string): ImageSpec {
  const made = (component: string, version: string, names: readonly string[], digest = 'dd') => ({
    component,
    version,
    source: 'gomod',
    digest,
    files: Object.fromEntries(names.map((name) => [name, `/programs/${name}`])),
  });
  return {
    suite: 'bookworm',
    debian: DEBIAN,
    kubernetes: '1.34.2',
    artifacts: [
      made('kubernetes', '1.34.2', PROGRAMS),
      made('etcd', '3.6.5', ['etcd']),
      made('workloads', '1.0.0', ['pause', 'eater']),
      made('witness', '1.0.0', ['witness'], witness),
    ],
  };
}

/** Puts a store and a root file system into the cache as versions before this one left them. */
function writeOlderLayers(spec: ImageSpec): void {
  const rootfs = entryPath(rootFilesystemKind(host, 'bookworm', packages), {});
  mkdirSync(cachePaths(host.cacheDir).rootfs, { recursive: true });
  writeFileSync(rootfs, 'tar');
  const inputs = collectStoreInputs(host, spec, rootFilesystemKey(host, 'bookworm', packages));
  const store = entryPath(storeKind(host.cacheDir), inputs);
  mkdirSync(join(store, 'content'), { recursive: true });
  const record = {
    formatVersion: 1,
    digest: digestInputs(inputs),
    inputs,
    images: ['registry.test/etcd:3.6.5-0'],
  };
  writeFileSync(join(store, 'store.json'), JSON.stringify(record));
}

const whyOf = (spec: ImageSpec) =>
  Object.fromEntries(explainImage(host, spec).map(({ kind, hit, why }) => [kind, hit ? 'hit' : why]));

describe('an image', () => {
  it('is baked over the layers that are there, and then found with its record', async () => {
    writeOlderLayers(specOf('aa'));
    const image = await ensureImage(host, specOf('aa'));
    expect(notes).toEqual([`no image ${image.digest.slice(0, 12)} yet: there is none in the cache`]);
    expect(image.digest).toBe(digestInputs(collectImageInputs(host, specOf('aa'))));
    expect(image.inputs).toMatchObject({ suite: 'bookworm', 'component witness': '1.0.0 aa' });
    expect(image).toMatchObject({ hostKey: 'ssh-ed25519 AAAA', images: ['registry.test/etcd:3.6.5-0'] });
    expect(listImageUsers(image.dir)).toEqual([host.stateDir]);
    expect(await ensureImage(host, specOf('aa'))).toEqual(image);
    expect(notes).toHaveLength(1);
    expect(whyOf(specOf('aa'))).toEqual({ 'root file system': 'hit', store: 'hit', image: 'hit' });
    expect(readdirSync(cachePaths(host.cacheDir).images)).toEqual([image.digest.slice(0, 12)]);
  });

  it('that is not there says which input differs, layer by layer', async () => {
    writeOlderLayers(specOf('aa'));
    await ensureImage(host, specOf('aa'));
    expect(whyOf(specOf('bb'))).toEqual({
      'root file system': 'hit',
      store: 'hit',
      image: 'component witness was 1.0.0 aa, is 1.0.0 bb',
    });
  });

  it('that could not be baked leaves nothing behind', async () => {
    writeOlderLayers(specOf('aa'));
    const failed = {
      command: 'sh bake.sh',
      failure: 'exit-code',
      status: 1,

      tail: 'no',
    } as const;
    bakeScript = () => {
      throw new CommandError(failed);
    };
    await expect(ensureImage(host, specOf('aa'))).rejects.toBeInstanceOf(CommandError);
    expect(readdirSync(cachePaths(host.cacheDir).images)).toEqual([]);
    expect(whyOf(specOf('aa'))).toMatchObject({ store: 'hit', image: 'there is none in the cache' });
  });

  it('with a record that was cut short is damaged', () => {
    const dir = entryPath(imageKind(host.cacheDir), collectImageInputs(host, specOf('aa')));
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'image.json'), '{"formatVersion": 1, "dig');
    expect(findImageRecord(dir)).toBeUndefined();
    expect(whyOf(specOf('aa'))['image']).toBe('the image in the cache is damaged');
  });
});

describe('a root file system', () => {
  /** mmdebstrap writes its tar. */
  const bootstrap: RunCommand = async (program, args) => {
    if (program === 'mmdebstrap') writeFileSync(args.find((word) => word.endsWith('/out')) ?? '', 'tar');
    return { status: 0, stdout: '', stderr: '', durationMs: 0 };
  };
  const ensure = (run: RunCommand, wanted = packages) =>
    ensureRootFilesystem({ ...host, run }, DEBIAN, 'bookworm', wanted);

  it('is made once, with what it was made of beside it', async () => {
    const path = await ensure(bootstrap);
    expect(readFileSync(path, 'utf8')).toBe('tar');
    expect(JSON.parse(readFileSync(`${path}.json`, 'utf8'))).toMatchObject({ inputs: { suite: 'bookworm' } });
    expect(await ensure(() => Promise.reject(new Error('is there')))).toBe(path);
    expect(statSync(path).isFile()).toBe(true);
    expect(explainMissOf([...packages, 'strace'])).toMatch(/^packages was …( …)?, is … strace( …)?$/);
  });

  it('of a version that wrote nothing down is found, and is honest about others', async () => {
    writeOlderLayers(specOf('aa'));
    const path = await ensure(() => Promise.reject(new Error('is there')));
    expect(explainMissOf([...packages, 'strace'])).toBe(
      `what ${basename(path)} was made of is not written down`,
    );
  });

  it('leaves nothing behind when mmdebstrap fails', async () => {
    const fails: RunCommand = (program, args) =>
      program === 'mmdebstrap' ? Promise.reject(new Error('no mirror')) : bootstrap(program, args);
    await expect(ensure(fails)).rejects.toThrow('no mirror');
    expect(readdirSync(cachePaths(host.cacheDir).rootfs)).toEqual([]);
  });

  const explainMissOf = (wanted: readonly string[]): string =>
    explainMiss(rootFilesystemKind(host, 'bookworm', wanted), rootFilesystemInputs(host, 'bookworm', wanted));
});

describe('a store', () => {
  it('is kept when a bake filled it, and that of another lab that was first stays', async () => {
    const inputs = { 'preload recipe': 'aa' };
    const fill = (name: string): string => {
      const filled = join(folder, name);
      mkdirSync(filled);
      writeFileSync(join(filled, 'blob'), name);
      return filled;
    };
    await keepStore(host, inputs, fill('first'), ['a']);
    await keepStore(host, inputs, fill('second'), ['a']);
    const store = storeKind(host.cacheDir).find(entryPath(storeKind(host.cacheDir), inputs));
    expect(store?.images).toEqual(['a']);
    expect(readFileSync(join(store?.content ?? '', 'blob'), 'utf8')).toBe('first');
    expect(existsSync(join(folder, 'first'))).toBe(false);
  });
});
