import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { DebianPackage } from '../../lab/model/bill.ts';
import type { CacheAnswer, CacheKind } from '../../lab/model/cache.ts';
import type { Host } from '../../lab/model/host.ts';
import type { Image, ImageSpec } from '../../lab/model/image.ts';
import { digestInputs, type Inputs } from '../../lab/model/inputs.ts';
import {
  ensureEntry,
  entryPath,
  explainMiss,
  useEntry,
  type EntryKind,
  type Making,
} from '../cache/entry.ts';
import { bakeImage } from '../image/bake.ts';
import { collectPrograms } from '../image/container-images.ts';
import { readGuestFiles } from '../image/guest-files.ts';
import { describeKernel, foreignKernel } from '../image/kernel.ts';
import { listGuestPackages } from '../image/packages.ts';
import { DPKG_STATUS, parseDpkgStatus } from './debian-packages.ts';
import { checkBakeDisk } from './disk-space.ts';
import { imageKind, writeImageRecord } from './image-record.ts';
import { noteImageUser } from './image-users.ts';
import { ensureKernelTar, kernelInputs, kernelKind } from './kernel-tar.ts';
import {
  ensureRootFilesystem,
  rootFilesystemInputs,
  rootFilesystemKey,
  rootFilesystemKind,
} from './root-filesystem.ts';
import { collectStoreInputs, keepStore, storeKind } from './store.ts';

/** What the inputs of a layer are read from, and where it lies. */
type LayerHost = Pick<Host, 'projectDir' | 'cacheDir'>;

/**
 * Makes sure that the base image of a spec lies in the cache and returns it. Content-addressed over every input; a
 * cache hit reads a few small files.
 *
 * @throws HostError LAB_DISK, LAB_IMAGE_INPUT, LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError.
 */
export async function ensureImage(host: Host, spec: ImageSpec): Promise<Image> {
  collectPrograms(spec.artifacts);
  const inputs = collectImageInputs(host, spec);
  const image = await ensureEntry(host, {
    kind: imageKind(host.cacheDir),
    inputs,
    make: (making) => makeImage(host, spec, inputs, making),
  });
  noteImageUser(host, image.dir);
  return image;
}

async function makeImage(host: Host, spec: ImageSpec, inputs: Inputs, making: Making): Promise<void> {
  const { out, work, path, why } = making;
  host.progress.note(`no image ${basename(path)} yet: ${why}`);
  checkBakeDisk(dirname(path));
  const packages = packagesOf(spec);
  const rootfs = await ensureRootFilesystem(host, spec.suite, packages);
  const kernel = foreignKernel(spec);
  const kernelTar = kernel?.from === 'suite' ? await ensureKernelTar(host, kernel.suite) : undefined;
  const storeInputs = collectStoreInputs(host, spec, rootFilesystemKey(host, spec.suite, packages));
  const store = useEntry(host, storeKind(host.cacheDir), storeInputs);
  await host.progress.step(`base image ${spec.suite}, Kubernetes ${spec.kubernetes}`, async (update) => {
    const startedAt = host.clock.now();
    const baked = await bakeImage(host, spec, {
      rootfs,
      work,
      update,
      ...(kernelTar === undefined ? {} : { kernelTar }),
      ...(store === undefined ? {} : { store }),
    });
    if (store === undefined) await keepStore(host, storeInputs, join(work, 'new-store'), baked.images);
    const bakedAt = host.clock.now();
    writeImageRecord(out, {
      ...{ formatVersion: 1, digest: digestInputs(inputs), inputs, ...baked },
      bakedAt: new Date(bakedAt).toISOString(),
      bakeMs: bakedAt - startedAt,
    });
  });
}

/** Finds the image of a spec in the cache. */
export function findImage(host: LayerHost, spec: ImageSpec): Image | undefined {
  const kind = imageKind(host.cacheDir);
  return kind.find(entryPath(kind, collectImageInputs(host, spec)));
}

/**
 * The Debian packages of an image, read from its root file system in the cache; undefined when that is not there.
 *
 * @throws CommandError when tar cannot read it.
 */
export async function findDebianPackages(host: Host, spec: ImageSpec): Promise<DebianPackage[] | undefined> {
  const packages = packagesOf(spec);
  const kind = rootFilesystemKind(host, spec.suite, packages);
  const tar = kind.find(entryPath(kind, rootFilesystemInputs(host, spec.suite, packages)));
  if (tar === undefined) return undefined;
  // It is once in there: tar need not read on.
  const words = ['--extract', '--to-stdout', '--occurrence=1', '--file', tar, DPKG_STATUS];
  const { stdout } = await host.run('tar', words, { signal: host.signal });
  return parseDpkgStatus(stdout);
}

/** The image that lies in a folder of the cache; undefined when it is not whole. */
export function findImageIn(host: LayerHost, dir: string): Image | undefined {
  return imageKind(host.cacheDir).find(dir);
}

/** Says of every layer of an image whether it is in the cache, and why it would be made; makes nothing. */
export function explainImage(host: LayerHost, spec: ImageSpec): CacheAnswer[] {
  const { suite } = spec;
  const packages = packagesOf(spec);
  const kernel = foreignKernel(spec);
  const storeInputs = collectStoreInputs(host, spec, rootFilesystemKey(host, suite, packages));
  const answer = <Entry>(
    layer: CacheKind,
    kind: EntryKind<Entry>,
    inputs: Inputs,
    called: { name?: string; version?: string } = {},
  ): CacheAnswer => {
    const path = entryPath(kind, inputs);
    const hit = kind.find(path) !== undefined;
    const { name = basename(path, '.tar'), version = '' } = called;
    return { kind: layer, name, version, hit, why: hit ? path : explainMiss(kind, inputs) };
  };
  return [
    answer(
      'root file system',
      rootFilesystemKind(host, suite, packages),
      rootFilesystemInputs(host, suite, packages),
      { name: suite },
    ),
    ...(kernel?.from === 'suite'
      ? [answer('kernel', kernelKind(host.cacheDir, kernel.suite), kernelInputs(kernel.suite))]
      : []),
    answer('store', storeKind(host.cacheDir), storeInputs),
    answer('image', imageKind(host.cacheDir), collectImageInputs(host, spec), { version: spec.kubernetes }),
  ];
}

/** Every input of an image by a name that a person understands. */
export function collectImageInputs(host: LayerHost, spec: ImageSpec): Inputs {
  const packages = packagesOf(spec);
  const inputs: Record<string, string> = {
    suite: spec.suite,
    kubernetes: spec.kubernetes,
    kernel: describeKernel(foreignKernel(spec)),
    packages: packages.join(' '),
    'root file system recipe': rootFilesystemKey(host, spec.suite, packages),
    'image recipe': digestFolder(join(host.projectDir, 'provision', 'image')),
    'guest files': digestFolder(join(host.projectDir, 'provision', 'guest', 'files')),
  };
  for (const artifact of spec.artifacts) {
    inputs[`component ${artifact.component}`] = `${artifact.version} ${artifact.digest}`;
  }
  return inputs;
}

function packagesOf(spec: ImageSpec): string[] {
  const ofComponents = spec.artifacts.flatMap((artifact) => artifact.packages ?? []);
  return [...new Set([...listGuestPackages(spec.suite), ...ofComponents])].sort();
}

function digestFolder(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readGuestFiles(folder)) hash.update(`${file.path}\0${file.text}\0`);
  return hash.digest('hex');
}
