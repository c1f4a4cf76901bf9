import type { DebianPackage } from '../../lab/model/components/bill.ts';

/** Where dpkg keeps what is installed, in the root file system of a guest as mmdebstrap packs it. */
export const DPKG_STATUS = './var/lib/dpkg/status';

/**
 * Reads the installed packages of dpkg's status file
 * (https://www.debian.org/doc/debian-policy/ch-controlfields.html), in its order.
 */
export function parseDpkgStatus(text: string): DebianPackage[] {
  return text.split(/\n\n+/).flatMap((paragraph): DebianPackage[] => {
    const field = (name: string): string | undefined =>
      paragraph
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
        .trim();
    const [name, version, architecture] = [field('Package'), field('Version'), field('Architecture')];
    if (name === undefined || version === undefined || architecture === undefined) return [];
    if (field('Status') !== 'install ok installed') return [];
    // `Source: glibc (2.36-9)`; without it the source has the name and the version of the package.
    const [, source = name, sourceVersion = version] =
      /^(\S+)(?: \((\S+)\))?$/.exec(field('Source') ?? '') ?? [];
    return [{ name, version, architecture, source, sourceVersion }];
  });
}
