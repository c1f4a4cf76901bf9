import type { DebianLicenses, DebianPackage } from '../../lab/model/components/bill.ts';

/** The copyright file of a package, in the root file system of a guest as mmdebstrap packs it. */
export const COPYRIGHT_FILES = './usr/share/doc/*/copyright';

/**
 * Adds to packages what their copyright files name. A package may have no file of its own, but a link to that of another
 * one of the same source (https://www.debian.org/doc/debian-policy/ch-docs.html#copyright-information).
 *
 * @param files texts by their paths in the root file system.
 */
export function addLicenses(
  packages: readonly DebianPackage[],
  files: ReadonlyMap<string, string>,
): DebianPackage[] {
  const own = new Map<string, DebianLicenses>();
  const ofSource = new Map<string, DebianLicenses>();
  for (const { name, source } of packages) {
    const text = files.get(COPYRIGHT_FILES.replace('*', name));
    const licenses = text === undefined ? undefined : parseCopyright(text);
    if (licenses === undefined) continue;
    own.set(name, licenses);
    ofSource.set(source, licenses);
  }
  return packages.map((installed) => {
    const licenses = own.get(installed.name) ?? ofSource.get(installed.source);
    return licenses === undefined ? installed : { ...installed, licenses };
  });
}

/**
 * Reads the licenses in a copyright file, by the names that Debian gives them: `GPL-2+`, `GPL-1+ or Artistic`, sorted.
 *
 * A file in the machine-readable format (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/) says them for
 * each group of files. A free text is asked for the texts in /usr/share/common-licenses that it refers to: there may be
 * more, which it spells out.
 *
 * @returns undefined when it names none.
 */
export function parseCopyright(text: string): DebianLicenses | undefined {
  const [header = '', ...paragraphs] = text.split(/\n[ \t]*\n/);
  const areAll = /^Format(-Specification)?:/im.test(header);
  const names = areAll
    ? [header, ...paragraphs.filter((paragraph) => /^Files:/im.test(paragraph))].map(nameIn)
    : [...text.matchAll(/\/usr\/share\/common-licenses\/([\w.+-]*\w)/g)].map(([, name = '']) => name);
  const sorted = [...new Set(names)].filter((name) => name !== '').sort();
  return sorted.length === 0 ? undefined : { names: sorted, areAll };
}

/** The first line of the field; what follows is the text of the license. */
function nameIn(paragraph: string): string {
  const [, line = ''] = /^License:[ \t]*(.*)$/im.exec(paragraph) ?? [];
  return line.trim().replace(/\s+/g, ' ');
}
