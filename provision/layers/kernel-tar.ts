import type { DebianArchive } from '../../lab/model/components/component-schema.ts';
import type { Host } from '../../lab/model/host/host.ts';
import type { Inputs } from '../../lab/model/components/inputs.ts';
import type { EntryKind } from '../cache/entry-kind.ts';
import { KERNEL_PACKAGE } from '../image/packages.ts';
import { shareTar } from './share-tar.ts';
import { ensureTar, tarKind } from './tar.ts';

/**
 * Makes sure that the kernel packages of a suite (or of its backports) are in the cache, unpacked in a tar, and returns
 * its path. Nothing of another suite is installed: only the kernel and its modules are taken.
 *
 * @throws CommandError when mmdebstrap fails.
 */
export function ensureKernelTar(host: Host, debian: DebianArchive, suite: string): Promise<string> {
  const packages = [wantedPackage(suite)];
  return ensureTar(host, kernelKind(host.cacheDir, suite), kernelInputs(suite), {
    suite,
    debian,
    variant: 'extract',
    packages,
  });
}

/** The kernel of a suite in the cache: `rootfs/kernel-<suite>.tar`. */
export function kernelKind(cacheDir: string, suite: string): EntryKind<string> {
  const name = `kernel-${suite}.tar`;
  return tarKind(cacheDir, {
    title: `kernel of ${suite}`,
    holds: (entry) => entry === name,
    nameOf: () => name,
    sharing: shareTar('kernel'),
  });
}

/** What decides which kernel it is, apart from the archive's state on the day it is fetched. */
export function kernelInputs(suite: string): Inputs {
  return { suite, package: wantedPackage(suite) };
}

function wantedPackage(suite: string): string {
  return suite.endsWith('-backports') ? `${KERNEL_PACKAGE}/${suite}` : KERNEL_PACKAGE;
}
