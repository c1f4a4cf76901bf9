import { readFileSync } from 'node:fs';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { ImageKernel, ImageSpec } from '../../lab/model/components/image.ts';

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
 * Reads the release (`uname -r`) out of a bzImage: the text that `kernel_version` of its header points at.
 *
 * Source: Documentation/arch/x86/boot.rst, "kernel_version" (offset 0x20e, relative to 0x200).
 *
 * @throws HostError LAB_IMAGE_INPUT for a file that is not a bzImage.
 */
export function readKernelRelease(path: string): string {
  const image = readFileSync(path);
  const isBzImage = image.length > 0x210 && image.toString('latin1', 0x202, 0x206) === 'HdrS';
  const text = isBzImage ? image.toString('latin1', image.readUInt16LE(0x20e) + 0x200).slice(0, 256) : '';
  const release = /^[\x21-\x7e]+/.exec(text)?.[0];
  if (release !== undefined) return release;
  throw new HostError('LAB_IMAGE_INPUT', `${path} is not an x86 kernel that QEMU can boot`, {
    tryNext: 'give a bzImage: arch/x86/boot/bzImage of a kernel build, or a /boot/vmlinuz-… file',
  });
}
