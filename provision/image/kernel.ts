import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../lab/model/errors.ts';
import type { Host } from '../../lab/model/host.ts';
import type { ImageKernel, ImageSpec } from '../../lab/model/image.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { ensureTar } from './mmdebstrap.ts';
import { KERNEL_PACKAGE } from './packages.ts';

/** The kernel that does not come with the root file system; undefined: the suite's own does. */
export function foreignKernel(spec: Pick<ImageSpec, 'suite' | 'kernel'>): ImageKernel | undefined {
  const { kernel } = spec;
  return kernel?.from === 'suite' && kernel.suite === spec.suite ? undefined : kernel;
}

/** Names a kernel in the inputs of an image. */
export function describeKernel(kernel: ImageKernel | undefined): string {
  if (kernel === undefined) return "the suite's own";
  return kernel.from === 'suite' ? kernel.suite : `file ${kernel.digest}`;
}

/**
 * Makes sure that the kernel packages of a suite (or of its backports) lie in the cache, unpacked in a tar, and returns
 * its path. Nothing of another suite is installed: only the kernel and its modules are taken.
 *
 * @throws HostError LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError when mmdebstrap fails.
 */
export async function ensureKernelTar(host: Host, suite: string): Promise<string> {
  const path = kernelTarPath(host, suite);
  const wanted = suite.endsWith('-backports') ? `${KERNEL_PACKAGE}/${suite}` : KERNEL_PACKAGE;
  return ensureTar(host, path, `kernel of ${suite}`, { suite, variant: 'extract', packages: [wanted] });
}

/** Where the kernel of a suite lies in the cache, or will. */
export function kernelTarPath(host: Pick<Host, 'cacheDir'>, suite: string): string {
  return join(cachePaths(host.cacheDir).rootfs, `kernel-${suite}.tar`);
}

/**
 * Reads the release (`uname -r`) out of a bzImage: the text that `kernel_version` of its header points at.
 *
 * Source: Documentation/arch/x86/boot.rst, "kernel_version" (offset 0x20e, relative to 0x200).
 *
 * @throws HostError LAB_IMAGE_INPUT for a file that is no bzImage.
 */
export function readKernelRelease(path: string): string {
  const image = readFileSync(path);
  const isBzImage = image.length > 0x210 && image.toString('latin1', 0x202, 0x206) === 'HdrS';
  const text = isBzImage ? image.toString('latin1', image.readUInt16LE(0x20e) + 0x200).slice(0, 256) : '';
  const release = /^[\x21-\x7e]+/.exec(text)?.[0];
  if (release !== undefined) return release;
  throw new HostError('LAB_IMAGE_INPUT', `${path} is no x86 kernel that QEMU can boot`, {
    tryNext: 'give a bzImage: arch/x86/boot/bzImage of a kernel build, or a /boot/vmlinuz-… file',
  });
}
