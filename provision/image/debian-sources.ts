import { HostError } from '../../lab/model/errors.ts';

/** Format for `apt-get indextargets` that `planDebianSources` reads. */
export const INDEX_TARGETS_FORMAT = '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(LABEL)';

/** A Debian archive as one sources.list line, and what it is for. */
export interface DebianSource {
  readonly release: string;
  readonly line: string;
}

/** Suites without security and updates archives of their own. */
const ROLLING = new Set(['sid', 'unstable']);

/**
 * Plans where the guest's packages come from: the same mirrors the host's own apt uses, for the guest's suite.
 * Security and updates are used when the host uses them.
 *
 * @param targets what `apt-get indextargets --format INDEX_TARGETS_FORMAT 'Created-By: Packages'` printed
 * @param keyring file with the Debian archive keys
 * @throws HostError LAB_NO_DEBIAN_MIRROR when the host's apt knows no Debian archive.
 */
export function planDebianSources(targets: string, suite: string, keyring: string): DebianSource[] {
  const debian = targets
    .split('\n')
    .map((line) => line.split('|'))
    .filter(([, , component, origin]) => component === 'main' && origin === 'Debian');
  const main = debian.find(([, release = '', , , label]) => label === 'Debian' && !release.includes('-'));
  if (main === undefined) {
    throw new HostError(
      'LAB_NO_DEBIAN_MIRROR',
      "the host's apt knows no Debian archive to build guests from",
      {
        lastSeen: debian.length === 0 ? 'apt-get indextargets lists no Debian archive' : debian.join('; '),
        tryNext: 'add a Debian mirror to /etc/apt/sources.list.d and run apt-get update',
      },
    );
  }
  const source = (release: string, uri: string | undefined): DebianSource => ({
    release,
    line: `deb [signed-by=${keyring}] ${uri ?? ''} ${release} main`,
  });
  const sources = [source(suite, main[0])];
  if (ROLLING.has(suite)) return sources;
  const updates = debian.find(([, release = '']) => release.endsWith('-updates'));
  const security = debian.find(([, , , , label]) => label === 'Debian-Security');
  if (updates !== undefined) sources.push(source(`${suite}-updates`, updates[0]));
  if (security !== undefined) sources.push(source(`${suite}-security`, security[0]));
  return sources;
}

/**
 * Picks the settings of the host's apt that decide how a mirror is reached (proxies, TLS, retries), as options for
 * another apt.
 *
 * @param dump what `apt-config dump` printed
 */
export function pickAptOptions(dump: string): string[] {
  return dump
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^Acquire::(https?::|Retries|ForceIPv4|ForceIPv6)/i.test(line))
    .filter((line) => !/\s"";$/.test(line) && !/^Acquire::https?::User-Agent/i.test(line));
}
