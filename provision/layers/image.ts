import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DebianPackage } from '../../lab/model/components/bill.ts';
import type { CacheAnswer, CacheKind } from '../../lab/model/saved/cache.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { Image, ImageSpec } from '../../lab/model/components/image.ts';
import { parseLocalBuild } from '../../lab/model/components/local-build.ts';
import { digestInputs, listDifferences, type Inputs } from '../../lab/model/components/inputs.ts';
import { entryPath, type EntryKind } from '../cache/entry-kind.ts';
import { ensureEntry, explainMiss, takeEntry, type Making } from '../cache/entry.ts';
import { bakeImage } from '../image/bake.ts';
import { collectPrograms } from '../image/container-images.ts';
import { readGuestFiles } from '../image/guest-files.ts';
import { describeKernel, foreignKernel } from '../image/kernel.ts';
import { listGuestPackages } from '../image/packages.ts';
import { addLicenses, COPYRIGHT_FILES } from './debian-licenses.ts';
import { DPKG_STATUS, parseDpkgStatus } from './debian-packages.ts';
import { checkBakeDisk } from './disk-space.ts';
import { imageKind } from './image-kind.ts';
import { writeImageRecord } from './image-record.ts';
import { noteImageUser } from './image-users.ts';
import { ensureKernelTar, kernelInputs, kernelKind } from './kernel-tar.ts';
import {
  ensureRootFilesystem,
  rootFilesystemInputs,
  rootFilesystemKey,
  rootFilesystemKind,
} from './root-filesystem.ts';
import { collectStoreInputs, keepStore, storeKind } from './store.ts';
import { readTarFiles } from './read-tar.ts';
import { FORMAT_VERSION } from '../../lab/model/files/format-version.ts';

/** What the inputs of a layer are read from, and where it is. */
type LayerHost = Pick<Host, 'projectDir' | 'cacheDir'>;

/**
 * Makes sure that the base image of a spec is in the cache and returns it. Content-addressed over every input; a
 * cache hit reads a few small files.
 *
 * @throws HostError LAB_DISK, LAB_IMAGE_INPUT; CommandError.
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

/** Takes the image of a spec out of the cache, or of the remote cache; undefined when it is in neither. */
export async function takeImage(host: Host, spec: ImageSpec): Promise<Image | undefined> {
  const inputs = collectImageInputs(host, spec);
  const image = await takeEntry(host, { kind: imageKind(host.cacheDir), inputs });
  if (image !== undefined) noteImageUser(host, image.dir);
  return image;
}

/** Takes the root file system of an image, and its kernel where it is another suite's, as `takeImage` does. */
export async function takeLayers(host: Host, spec: ImageSpec): Promise<void> {
  const packages = packagesOf(spec);
  const kind = rootFilesystemKind(host, spec.suite, packages);
  await takeEntry(host, { kind, inputs: rootFilesystemInputs(host, spec.suite, packages) });
  const kernel = foreignKernel(spec);
  if (kernel?.from === 'suite')
    await takeEntry(host, {
      kind: kernelKind(host.cacheDir, kernel.suite),
      inputs: kernelInputs(kernel.suite),
    });
}

/** Makes sure that the root file system of an image is in the cache. */
export function ensureRootOf(host: Host, spec: ImageSpec): Promise<string> {
  return ensureRootFilesystem(host, spec.debian, spec.suite, packagesOf(spec));
}

/** Makes sure that the kernel packages of an image are in the cache; undefined where it boots its own suite's, or a file. */
export async function ensureKernelOf(host: Host, spec: ImageSpec): Promise<string | undefined> {
  const kernel = foreignKernel(spec);
  return kernel?.from === 'suite' ? ensureKernelTar(host, spec.debian, kernel.suite) : undefined;
}

async function makeImage(host: Host, spec: ImageSpec, inputs: Inputs, making: Making): Promise<void> {
  const { out, work, path, why } = making;
  host.progress.note(`no image ${basename(path)} yet: ${why}`);
  checkBakeDisk(dirname(path));
  const packages = packagesOf(spec);
  const rootfs = await ensureRootOf(host, spec);
  const kernelTar = await ensureKernelOf(host, spec);
  const storeInputs = collectStoreInputs(host, spec, rootFilesystemKey(host, spec.suite, packages));
  const store = await takeEntry(host, { kind: storeKind(host.cacheDir), inputs: storeInputs });
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
      formatVersion: FORMAT_VERSION,
      digest: digestInputs(inputs),
      inputs,
      ...baked,
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
  const files = await readTarFiles(host, tar, [DPKG_STATUS, COPYRIGHT_FILES]);
  return addLicenses(parseDpkgStatus(files.get(DPKG_STATUS) ?? ''), files);
}

/** The image that is in a folder of the cache; undefined when it is not whole. */
export function findImageIn(host: LayerHost, dir: string): Image | undefined {
  return imageKind(host.cacheDir).find(dir);
}

/**
 * Whether the image of a spec may be in the cache although the digest of some of its components is not known yet: one
 * is there that differs in nothing but the digests of these.
 *
 * @param unknown names of the components whose digest in the spec is a placeholder for an unknown one.
 */
export function mayHaveImage(host: LayerHost, spec: ImageSpec, unknown: ReadonlySet<string>): boolean {
  const { folder, holds, findInputs } = imageKind(host.cacheDir);
  const wanted = collectImageInputs(host, spec);
  const names = existsSync(folder) ? readdirSync(folder).filter(holds) : [];
  return names.some((name) => mayComeOutAs(findInputs(join(folder, name)), wanted, unknown));
}

/** Whether these are the inputs that are wanted, apart from the digests of components that are not made yet. */
export function mayComeOutAs(
  inputs: Inputs | undefined,
  wanted: Inputs,
  unknown: ReadonlySet<string>,
): boolean {
  if (inputs === undefined) return false;
  return listDifferences(inputs, wanted).every((name) => {
    const component = name.replace(/^component /, '');
    if (component === name || !unknown.has(component)) return false;
    const [was, is] = [inputs[name], wanted[name]].map((value = '') => value.split(' ')[0] ?? '');
    // What a local build is recorded as is known once it was read.
    return was === is || parseLocalBuild(is ?? '') !== undefined;
  });
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
  return [...new Set([...listGuestPackages(spec.suite), ...ofComponents, ...(spec.packages ?? [])])].sort();
}

function digestFolder(folder: string): string {
  const hash = createHash('sha256');
  for (const file of readGuestFiles(folder)) hash.update(`${file.path}\0${file.text}\0`);
  return hash.digest('hex');
}
