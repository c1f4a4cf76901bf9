import { HostError } from '../../lab/model/errors/errors.ts';

/** Format for `apt-get indextargets` that `planDebianSources` reads. */
export const INDEX_TARGETS_FORMAT = '$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(LABEL)';

/** A Debian archive as one sources.list line, and what it is for. */
export interface DebianSource {
  readonly release: string;
  readonly line: string;
}

/**
 * Suites that are taken from the main archive alone. `sid` has no others. The security archive of a release that is
 * out of support is taken off the mirrors piece by piece: its index stays for a while after the files are gone, and
 * then `linux-image-cloud-amd64` answers 404. The main archive holds the last point release and stays whole.
 */
const MAIN_ONLY = new Set(['sid', 'unstable', 'bullseye']);

/**
 * Plans where the guest's packages come from: the same mirrors the host's own apt uses, for the guest's suite.
 * Security and updates are used when the host uses them and the suite has whole ones.
 *
 * @param targets what `apt-get indextargets --format INDEX_TARGETS_FORMAT 'Created-By: Packages'` printed
 * @param suite a suite, or its backports (`bookworm-backports`), which then are one source more
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
  const [mainUri] = main;
  const base = suite.replace(/-backports$/, '');
  const source = (release: string, uri: string | undefined): DebianSource => ({
    release,
    // Signatures are checked, freshness is not: a mirror that stands still is good enough for a guest without a way
    // out, and the index of sid expires after a week.
    line: `deb [signed-by=${keyring} check-valid-until=no] ${uri ?? ''} ${release} main`,
  });
  const sources = [source(base, mainUri)];
  if (base !== suite) sources.push(source(suite, mainUri));
  if (MAIN_ONLY.has(base)) return sources;
  const updates = debian.find(([, release = '']) => release.endsWith('-updates'));
  const security = debian.find(([, , , , label]) => label === 'Debian-Security');
  if (updates !== undefined) sources.push(source(`${base}-updates`, updates[0]));
  if (security !== undefined) sources.push(source(`${base}-security`, security[0]));
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
