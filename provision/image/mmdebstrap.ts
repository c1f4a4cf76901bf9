import { existsSync, rmSync } from 'node:fs';
import { HostError } from '../../lab/model/errors/errors.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { INDEX_TARGETS_FORMAT, pickAptOptions, planDebianSources } from './debian-sources.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** What mmdebstrap is to make. */
export interface Bootstrap {
  /** Debian suite, or its backports: `bookworm-backports`. */
  readonly suite: string;
  /** `minbase`: an installed system. `extract`: the unpacked packages, nothing configured. */
  readonly variant: 'minbase' | 'extract';
  readonly packages: readonly string[];
  /** Globs of paths that dpkg leaves out. */
  readonly excluded?: readonly string[];
  /** Globs of these that it keeps nevertheless. */
  readonly included?: readonly string[];
  /** Further options of mmdebstrap, such as hooks. */
  readonly options?: readonly string[];
}

/**
 * Makes a tar. What mmdebstrap says goes into a log, and its progress to `update`.
 *
 * @throws HostError LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError when mmdebstrap fails.
 */
export async function runMmdebstrap(
  host: Host,
  { suite, variant, packages, excluded = [], included = [], options = [] }: Bootstrap,
  target: string,
  logFile: string,
  update: (detail: string) => void,
): Promise<void> {
  if (!existsSync(KEYRING)) {
    throw new HostError('LAB_KEYRING', `${KEYRING} is missing, so packages cannot be verified`, {
      tryNext: 'apt-get install debian-archive-keyring',
    });
  }
  const targets = ['indextargets', '--format', INDEX_TARGETS_FORMAT, 'Created-By: Packages'];
  const sources = planDebianSources((await host.run('apt-get', targets)).stdout, suite, KEYRING);
  const apt = pickAptOptions((await host.run('apt-config', ['dump'])).stdout);
  rmSync(logFile, { force: true });
  await host.run(
    'mmdebstrap',
    [
      host.uid === 0 ? '--mode=root' : '--mode=unshare',
      `--variant=${variant}`,
      '--format=tar',
      `--include=${packages.join(',')}`,
      ...apt.map((option) => `--aptopt=${option}`),
      ...excluded.map((glob) => `--dpkgopt=path-exclude=${glob}`),
      ...included.map((glob) => `--dpkgopt=path-include=${glob}`),
      ...options,
      suite.replace(/-backports$/, ''),
      target,
      ...sources.map((source) => source.line),
    ],
    {
      timeoutMs: TIME_LIMITS.build.rootFilesystem.ms,
      signal: host.signal,
      logFile,
      onLine: (line) => {
        if (line.startsWith('I: ')) update(line.slice('I: '.length));
      },
      // mmdebstrap unpacks in $TMPDIR; a private one would be closed to its mapped users.
      env: { TMPDIR: '/tmp' },
    },
  );
}
