import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../lab/model/errors.ts';
import type { Host } from '../../lab/model/host.ts';
import { cachePaths } from '../../lab/model/paths.ts';
import { INDEX_TARGETS_FORMAT, pickAptOptions, planDebianSources } from './debian-sources.ts';
import { EXCLUDED_PATHS } from './packages.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const HOOKS = ['prepare-initramfs.sh', 'collect-iptables.sh'] as const;
const TIMEOUT_MS = 30 * 60_000;

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
  const folder = cachePaths(host.cacheDir).rootfs;
  const path = join(folder, `${suite}-${rootFilesystemKey(host, suite, packages).slice(0, 12)}.tar`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await host.progress.step(`root file system of ${suite} (${packages.length} packages)`, async (update) => {
      await bootstrap(host, suite, packages, temporary, update);
    });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return path;
}

/** sha256 (hex) over what decides the content, apart from the archive's state on the day it is built. */
export function rootFilesystemKey(host: Host, suite: string, packages: readonly string[]): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify({ suite, packages, excluded: EXCLUDED_PATHS }));
  for (const hook of HOOKS) hash.update(readFileSync(hookPath(host, hook)));
  return hash.digest('hex');
}

async function bootstrap(
  host: Host,
  suite: string,
  packages: readonly string[],
  target: string,
  update: (detail: string) => void,
): Promise<void> {
  if (!existsSync(KEYRING)) {
    throw new HostError('LAB_KEYRING', `${KEYRING} is missing, so packages cannot be verified`, {
      tryNext: 'apt-get install debian-archive-keyring',
    });
  }
  const targets = ['indextargets', '--format', INDEX_TARGETS_FORMAT, 'Created-By: Packages'];
  const sources = planDebianSources((await host.run('apt-get', targets)).stdout, suite, KEYRING);
  const options = pickAptOptions((await host.run('apt-config', ['dump'])).stdout);
  await host.run(
    'mmdebstrap',
    [
      host.uid === 0 ? '--mode=root' : '--mode=unshare',
      '--variant=minbase',
      '--format=tar',
      `--include=${packages.join(',')}`,
      ...options.map((option) => `--aptopt=${option}`),
      ...EXCLUDED_PATHS.map((glob) => `--dpkgopt=path-exclude=${glob}`),
      `--essential-hook=${hookText(host, HOOKS[0])}`,
      `--customize-hook=${hookText(host, HOOKS[1])}`,
      suite,
      target,
      ...sources.map((source) => source.line),
    ],
    {
      timeoutMs: TIMEOUT_MS,
      signal: host.signal,
      logFile: `${target.replace(/\.\d+\.tmp$/, '')}.log`,
      onLine: (line) => {
        if (line.startsWith('I: ')) update(line.slice('I: '.length));
      },
      // mmdebstrap unpacks in $TMPDIR; a private one would be closed to its mapped users.
      env: { TMPDIR: '/tmp' },
    },
  );
}

/** Hooks are passed as text: in a user namespace mmdebstrap may not see the project's folder. */
function hookText(host: Host, name: string): string {
  return readFileSync(hookPath(host, name), 'utf8');
}

function hookPath(host: Host, name: string): string {
  return join(host.projectDir, 'provision', 'image', name);
}
