import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DebianArchive } from '../../lab/model/components/component-schema.ts';
import type { Host } from '../../lab/model/host/host.ts';
import { TIME_LIMITS } from '../../lab/model/limits/time-limits.ts';
import { pickAptOptions, renderDebianSources } from './debian-sources.ts';

/** Below the project's folder: the keyring of Debian's package debian-archive-keyring 2023.3+deb12u2, armored. */
export const DEBIAN_KEYS = join('provision', 'image', 'debian-archive-keys.asc');

/** What mmdebstrap is to make. */
export interface Bootstrap {
  /** Debian suite, or its backports: `bookworm-backports`. */
  readonly suite: string;
  /** Where the packages come from. */
  readonly debian: DebianArchive;
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
 * @throws CommandError when mmdebstrap fails.
 */
export async function runMmdebstrap(
  host: Host,
  { suite, debian, variant, packages, excluded = [], included = [], options = [] }: Bootstrap,
  target: string,
  logFile: string,
  update: (detail: string) => void,
): Promise<void> {
  const keys = readFileSync(join(host.projectDir, DEBIAN_KEYS), 'utf8');
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
      '-',
    ],
    {
      input: renderDebianSources(debian, suite, keys),
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
