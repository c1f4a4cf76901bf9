import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../lab/model/host.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { ensureTar } from '../image/mmdebstrap.ts';
import { EXCLUDED_PATHS } from '../image/packages.ts';

const HOOKS = ['prepare-initramfs.sh', 'collect-iptables.sh'] as const;

/**
 * Makes sure that the root file system of a suite lies in the cache, as a tar, and returns its path. It is shared by
 * all images of the suite with the same packages.
 *
 * @throws HostError LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError when mmdebstrap fails.
 */
export async function ensureRootFilesystem(
  host: Host,
  suite: string,
  packages: readonly string[],
): Promise<string> {
  const path = rootFilesystemPath(host, suite, packages);
  const title = `root file system of ${suite} (${packages.length} packages)`;
  return ensureTar(host, path, title, {
    suite,
    variant: 'minbase',
    packages,
    excluded: EXCLUDED_PATHS,
    options: [`--essential-hook=${hookText(host, HOOKS[0])}`, `--customize-hook=${hookText(host, HOOKS[1])}`],
  });
}

/** Where the root file system lies in the cache, or will. */
export function rootFilesystemPath(host: Host, suite: string, packages: readonly string[]): string {
  const key = rootFilesystemKey(host, suite, packages).slice(0, 12);
  return join(cachePaths(host.cacheDir).rootfs, `${suite}-${key}.tar`);
}

/** sha256 (hex) over what decides the content, apart from the archive's state on the day it is built. */
export function rootFilesystemKey(host: Host, suite: string, packages: readonly string[]): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify({ suite, packages, excluded: EXCLUDED_PATHS }));
  for (const hook of HOOKS) hash.update(readFileSync(hookPath(host, hook)));
  return hash.digest('hex');
}

/** Hooks are passed as text: in a user namespace mmdebstrap may not see the project's folder. */
function hookText(host: Host, name: string): string {
  return readFileSync(hookPath(host, name), 'utf8');
}

function hookPath(host: Host, name: string): string {
  return join(host.projectDir, 'provision', 'image', name);
}
