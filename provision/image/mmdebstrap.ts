import { existsSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { HostError } from '../../lab/model/errors.ts';
import type { Host } from '../../lab/model/host.ts';
import { INDEX_TARGETS_FORMAT, pickAptOptions, planDebianSources } from './debian-sources.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const TIMEOUT_MS = 30 * 60_000;

/** What mmdebstrap is to make. */
export interface Bootstrap {
  /** Debian suite, or its backports: `bookworm-backports`. */
  readonly suite: string;
  /** `minbase`: an installed system. `extract`: the unpacked packages, nothing configured. */
  readonly variant: 'minbase' | 'extract';
  readonly packages: readonly string[];
  /** Globs of paths that dpkg leaves out. */
  readonly excluded?: readonly string[];
  /** Further options of mmdebstrap, such as hooks. */
  readonly options?: readonly string[];
}

/**
 * Finds a tar in the cache or makes it by mmdebstrap; a file that is there is whole. What mmdebstrap said is in
 * `<path>.log`.
 *
 * @throws HostError LAB_NO_DEBIAN_MIRROR, LAB_KEYRING; CommandError when mmdebstrap fails.
 */
export async function ensureTar(
  host: Host,
  path: string,
  title: string,
  bootstrap: Bootstrap,
): Promise<string> {
  if (existsSync(path)) {
    const now = new Date(host.clock.now());
    utimesSync(path, now, now); // the time of the last use, for `lab cache`
    return path;
  }
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await host.progress.step(title, (update) =>
      runMmdebstrap(host, bootstrap, temporary, `${path}.log`, update),
    );
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return path;
}

async function runMmdebstrap(
  host: Host,
  { suite, variant, packages, excluded = [], options = [] }: Bootstrap,
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
      ...options,
      suite.replace(/-backports$/, ''),
      target,
      ...sources.map((source) => source.line),
    ],
    {
      timeoutMs: TIMEOUT_MS,
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
