import type { DebianArchive } from '../../lab/model/components/component-schema.ts';

/**
 * Suites that are taken only from the main archive. `sid` has no others. The security archive of a release that is
 * out of support is taken off the mirrors piece by piece: its index stays for a while after the files are gone, and
 * then `linux-image-cloud-amd64` answers 404. The main archive holds the last point release and stays whole.
 */
const MAIN_ONLY = new Set(['sid', 'unstable', 'bullseye']);

/**
 * Renders where the packages of a guest come from, as the text of a `.sources` file (sources.list(5), deb822).
 *
 * The keys are in the text: apt reads a file of keys as a user who may not look into the home of another.
 *
 * @param debian the archive and its security updates
 * @param suite a suite, or its backports (`bookworm-backports`), which then are one suite more
 * @param keys the public keys of the archive, armored
 */
export function renderDebianSources(debian: DebianArchive, suite: string, keys: string): string {
  const base = suite.replace(/-backports$/, '');
  const isMainOnly = MAIN_ONLY.has(base);
  const suites = [base, ...(base === suite ? [] : [suite]), ...(isMainOnly ? [] : [`${base}-updates`])];
  const main = renderSource(debian.archive, suites, keys);
  return isMainOnly ? main : `${main}\n${renderSource(debian.security, [`${base}-security`], keys)}`;
}

function renderSource(uri: string, suites: readonly string[], keys: string): string {
  const indented = keys
    .trimEnd()
    .split('\n')
    .map((line) => ` ${line === '' ? '.' : line}`);
  return `${[
    'Types: deb',
    `URIs: ${uri}`,
    `Suites: ${suites.join(' ')}`,
    'Components: main',
    // Signatures are checked, freshness is not: a mirror that no longer changes is good enough for a guest without a
    // way out, and the index of sid expires after a week.
    'Check-Valid-Until: no',
    'Signed-By:',
    ...indented,
  ].join('\n')}\n`;
}

/**
 * Picks the settings of the host's apt that decide how an archive is reached (proxies, TLS, retries), as options for
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
