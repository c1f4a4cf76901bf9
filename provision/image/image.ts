import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CacheAnswer, CacheKind } from '../../lab/model/cache.ts';
import type { Host } from '../../lab/model/host.ts';
import type { Image, ImageSpec } from '../../lab/model/image.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { bakeImage, removeWorkFolder } from './bake.ts';
import { collectPrograms } from './container-images.ts';
import { checkBakeDisk } from './disk-space.ts';
import { readGuestFiles } from './guest-files.ts';
import {
  describeImage,
  digestInputs,
  explainMiss,
  findImageRecord,
  type ImageInputs,
} from './image-record.ts';
import { describeKernel, ensureKernelTar, foreignKernel, kernelTarPath } from './kernel.ts';
import { listGuestPackages } from './packages.ts';
import { ensureRootFilesystem, rootFilesystemKey, rootFilesystemPath } from './root-filesystem.ts';
import {
  collectStoreInputs,
  findStore,
  findStoreRecord,
  keepStore,
  markStoreUsed,
  storeFolder,
} from './store.ts';
import { markImageUsed } from './image-users.ts';

const IMAGE_FILES = ['base.raw', 'vmlinuz', 'initrd.img', 'id_ed25519'] as const;

/**
 * Makes sure that the base image of a spec lies in the cache and returns it. Content-addressed over every input; a
 * cache hit reads a few small files. Two labs may bake the same image at once: the first to finish wins.
 *
 * @throws HostError LAB_DISK, LAB_IMAGE_INPUT, LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError.
 */
export async function ensureImage(host: Host, spec: ImageSpec): Promise<Image> {
  collectPrograms(spec.artifacts);
  const inputs = collectImageInputs(host, spec);
  const digest = digestInputs(inputs);
  const imagesDir = cachePaths(host.cacheDir).images;
  const dir = join(imagesDir, digest.slice(0, 12));
  const hit = findImage(dir);
  if (hit !== undefined) {
    markImageUsed(host, dir);
    return hit;
  }

  host.progress.note(`no image ${digest.slice(0, 12)} yet: ${explainMiss(imagesDir, inputs)}`);
  mkdirSync(imagesDir, { recursive: true });
  await removeStaleWorkFolders(host, imagesDir);
  checkBakeDisk(imagesDir);
  await makeImage(host, spec, { inputs, digest, dir });
  markImageUsed(host, dir);
  return describeImage(dir, findImageRecord(dir)!);
}

async function makeImage(
  host: Host,
  spec: ImageSpec,
  { inputs, digest, dir }: { inputs: ImageInputs; digest: string; dir: string },
): Promise<void> {
  const packages = packagesOf(spec);
  const rootfs = await ensureRootFilesystem(host, spec.suite, packages);
  const kernel = foreignKernel(spec);
  const kernelTar = kernel?.from === 'suite' ? await ensureKernelTar(host, kernel.suite) : undefined;
  const storeInputs = collectStoreInputs(host, spec, rootFilesystemKey(host, spec.suite, packages));
  const store = findStore(storeFolder(host, storeInputs));
  if (store !== undefined) markStoreUsed(storeFolder(host, storeInputs), host.clock.now());
  const work = join(dirname(dir), `.bake-${process.pid}-${digest.slice(0, 12)}`);
  try {
    await host.progress.step(`base image ${spec.suite}, Kubernetes ${spec.kubernetes}`, async (update) => {
      const bake = {
        rootfs,
        work,
        digest,
        inputs,
        update,
        ...(kernelTar === undefined ? {} : { kernelTar }),
        ...(store === undefined ? {} : { store }),
      };
      const images = await bakeImage(host, spec, bake);
      if (store === undefined) keepStore(host, storeInputs, join(work, 'new-store'), images);
      moveIntoPlace(join(work, 'out'), dir);
    });
  } finally {
    await removeWorkFolder(host, work);
  }
}

/** Says of every layer of an image whether it is in the cache, and why it would be made; makes nothing. */
export function explainImage(host: Host, spec: ImageSpec): CacheAnswer[] {
  const packages = packagesOf(spec);
  const rootfs = rootFilesystemPath(host, spec.suite, packages);
  const kernel = foreignKernel(spec);
  const storeInputs = collectStoreInputs(host, spec, rootFilesystemKey(host, spec.suite, packages));
  const store = storeFolder(host, storeInputs);
  const inputs = collectImageInputs(host, spec);
  const { images, stores } = cachePaths(host.cacheDir);
  const dir = join(images, digestInputs(inputs).slice(0, 12));
  const answer = (kind: CacheKind, name: string, version: string, path: string, miss: () => string) => {
    const hit = kind === 'image' ? findImage(path) !== undefined : existsSync(path);
    return { kind, name, version, hit, why: hit ? path : miss() };
  };
  const suiteKernel = kernel?.from === 'suite' ? kernelTarPath(host, kernel.suite) : undefined;
  return [
    answer('root file system', spec.suite, '', rootfs, () => 'not made with these packages and hooks yet'),
    ...(suiteKernel === undefined
      ? []
      : [answer('kernel', basename(suiteKernel, '.tar'), '', suiteKernel, () => 'not fetched yet')]),
    answer('store', basename(store), '', store, () =>
      explainMiss(stores, storeInputs, { noun: 'store', find: findStoreRecord }),
    ),
    answer('image', basename(dir), spec.kubernetes, dir, () => explainMiss(images, inputs)),
  ];
}

/** Every input of an image by a name that a person understands. */
export function collectImageInputs(host: Host, spec: ImageSpec): ImageInputs {
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

function findImage(dir: string): Image | undefined {
  const record = findImageRecord(dir);
  if (record === undefined || !IMAGE_FILES.every((name) => existsSync(join(dir, name)))) return undefined;
  return describeImage(dir, record);
}

/** Renames the finished folder into the cache; when another lab was first, its image stays and ours is dropped. */
function moveIntoPlace(finished: string, dir: string): void {
  if (findImage(dir) !== undefined) return;
  rmSync(dir, { recursive: true, force: true });
  renameSync(finished, dir);
}

/** Removes what a killed lab left behind; the name of the folder carries its process id. */
async function removeStaleWorkFolders(host: Host, imagesDir: string): Promise<void> {
  for (const name of readdirSync(imagesDir)) {
    const pid = /^\.bake-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(pid)) await removeWorkFolder(host, join(imagesDir, name));
  }
}

function isAlive(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('node');
  } catch {
    return false; // no such process any more
  }
}
