import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { ImageSpec } from '../../lab/model/components/image.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import {
  collectPrograms,
  getPauseImage,
  parseImageList,
  planContainerImages,
  type ContainerImagePlan,
} from './container-images.ts';
import { checkVersions } from './check-versions.ts';
import {
  planGuestPrograms,
  planReplacedPackages,
  readGuestFiles,
  renderGuestFiles,
  writeGuestFiles,
} from './guest-files.ts';
import { readIptablesEntries } from './iptables-layer.ts';
import { foreignKernel, readKernelRelease } from './kernel.ts';
import { MASKED_GENERATORS, MASKED_UNITS } from './masked-units.ts';
import { runInNamespace } from './namespace.ts';
import { buildImageTar, type LayerEntry } from './oci-tar.ts';

/** Size of the guest's disk, sparse until used. An overlay may be larger: the guest grows its file system. */
const DISK_MIB = 8 * 1024;

/** A filled store of containerd. */
export interface Store {
  /** The content of the guest's /var/lib/containerd; read, never written. */
  readonly content: string;
  /** Names of the container images in it. */
  readonly images: readonly string[];
}

/** What is known of an image once it is baked. */
export interface Baked {
  /** Public host key, as in a known_hosts line without the host. */
  readonly hostKey: string;
  /** What programs of the guest root print. */
  readonly versions: Record<string, string>;
  /** Names of its container images. */
  readonly images: string[];
  /** Things a reader might trip over. */
  readonly notes: string[];
}

/** One bake: from the root file system tar to `<work>/out/`, which is the finished image folder. */
export interface Bake {
  readonly rootfs: string;
  /** Unpacked kernel packages of another suite, as a tar. */
  readonly kernelTar?: string;
  /** A filled store of containerd; without it one is filled in `<work>/new-store`. */
  readonly store?: Store;
  readonly work: string;
  readonly update: (detail: string) => void;
}

/**
 * Bakes an image into `<work>/out/`. The caller removes the work folder with `removeFolder`, also on failure.
 *
 * @throws HostError LAB_IMAGE_INPUT, LAB_IMAGE_PRELOAD; CommandError.
 */
export async function bakeImage(host: Host, spec: ImageSpec, bake: Bake): Promise<Baked> {
  const out = join(bake.work, 'out');
  mkdirSync(out, { recursive: true, mode: 0o755 });
  const programs = collectPrograms(spec.artifacts);
  const list = ['config', 'images', 'list', '--kubernetes-version', `v${spec.kubernetes}`];
  const expected = parseImageList((await host.run(programs.get('kubeadm')!, list)).stdout);
  const plan = planContainerImages(expected, spec.artifacts);
  const hostKey = await makeKeys(host, bake.work);
  writeInputs(host, bake, programs, getPauseImage(expected));
  const kernel = foreignKernel(spec);
  const release = kernel?.from === 'file' ? readKernelRelease(kernel.path) : undefined;
  if (bake.store === undefined) {
    bake.update('assembling container images');
    await writeContainerImages(bake, plan.images);
  }
  await runStage(host, bake);
  const images = bake.store?.images ?? readImages(bake.work, plan.images);
  const versions = readVersions(bake.work);
  checkVersions(spec, versions);
  if (kernel?.from === 'file' && release !== undefined) {
    copyFileSync(kernel.path, join(out, 'vmlinuz'));
    versions['kernel'] = release;
    plan.notes.push(`the kernel is the file ${kernel.path}; modules and initrd are those of ${spec.suite}'s`);
  }
  return { hostKey, versions, images: [...images], notes: plan.notes };
}

/** Makes the keys of this bake (they are not an input: a new bake has new keys) and returns the public host key. */
async function makeKeys(host: Host, work: string): Promise<string> {
  const make = (path: string, comment: string): Promise<unknown> =>
    host.run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path]);
  await make(join(work, 'out', 'id_ed25519'), 'whodunit');
  await make(join(work, 'ssh_host_ed25519_key'), 'whodunit-node');
  const publicKey = readFileSync(join(work, 'ssh_host_ed25519_key.pub'), 'utf8');
  return publicKey.trim().split(' ').slice(0, 2).join(' ');
}

/** Writes what bake.sh reads, apart from the container images. */
function writeInputs(
  host: Host,
  bake: Bake,
  programs: ReadonlyMap<string, string>,
  pauseImage: string,
): void {
  const files = readGuestFiles(join(host.projectDir, 'provision', 'guest', 'files'));
  writeGuestFiles(join(bake.work, 'files'), renderGuestFiles(files, pauseImage));
  const lines = [...planGuestPrograms(programs)].map(([source, target]) => `${source}\t${target}\n`);
  writeFileSync(join(bake.work, 'programs'), lines.join(''));
  writeFileSync(join(bake.work, 'replaced-packages'), `${planReplacedPackages(programs).join('\n')}\n`);
  if (bake.kernelTar !== undefined) writeFileSync(join(bake.work, 'kernel-tar'), bake.kernelTar);
  if (bake.store !== undefined) writeFileSync(join(bake.work, 'store'), bake.store.content);
  writeFileSync(join(bake.work, 'masked-units'), `${MASKED_UNITS.join('\n')}\n`);
  writeFileSync(join(bake.work, 'masked-generators'), `${MASKED_GENERATORS.join('\n')}\n`);
}

async function writeContainerImages(bake: Bake, plans: readonly ContainerImagePlan[]): Promise<void> {
  const folder = join(bake.work, 'container-images');
  mkdirSync(folder);
  const iptables = await readIptablesEntries(bake.rootfs);
  for (const [index, plan] of plans.entries()) {
    const entries: LayerEntry[] = Object.entries(plan.programs).map(([path, source]) => ({
      kind: 'file',
      path,
      mode: 0o755,
      content: readFileSync(source),
    }));
    if (plan.withIptables) entries.push(...iptables);
    // Mount points and what programs expect of any root: with a read-only root the runtime could not make them.
    for (const path of ['dev', 'etc', 'proc', 'run', 'sys', 'var']) entries.push({ kind: 'folder', path });
    entries.push({ kind: 'folder', path: 'tmp', mode: 0o1777 });
    writeFileSync(join(folder, `${index}.tar`), await buildImageTar(plan.name, plan.config, entries));
  }
}

async function runStage(host: Host, bake: Bake): Promise<void> {
  const script = join(host.projectDir, 'provision', 'image', 'bake.sh');
  await runInNamespace(host, 'sh', [script, bake.work, bake.rootfs, String(DISK_MIB)], {
    timeoutMs: TIME_LIMITS.build.image.ms,
    signal: host.signal,
    onLine: (line) => {
      if (line.startsWith('bake: ')) bake.update(line.slice('bake: '.length));
    },
  });
}

function readImages(work: string, plans: readonly ContainerImagePlan[]): string[] {
  const loaded = readFileSync(join(work, 'images'), 'utf8').trim().split('\n').sort();
  const missing = plans.map((plan) => plan.name).filter((name) => !loaded.includes(name));
  if (missing.length > 0) {
    throw new HostError('LAB_IMAGE_PRELOAD', `containerd did not keep ${missing.join(', ')}`, {
      lastSeen: `it lists ${loaded.join(', ')}`,
    });
  }
  return loaded;
}

function readVersions(work: string): Record<string, string> {
  const lines = readFileSync(join(work, 'versions'), 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
}
