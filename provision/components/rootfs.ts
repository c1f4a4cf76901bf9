import { join } from 'node:path';
import { ROOT_ARCHIVE, type ComponentSourceOf } from '../../lab/model/components/components.ts';
import { runMmdebstrap } from '../image/mmdebstrap.ts';
import type { BuildContext, SourceResult } from './source.ts';

/** Manuals, translations and icons, which no program of a scenario reads. */
const EXCLUDED = ['/usr/share/*'];

/**
 * A hook of mmdebstrap after the packages are unpacked: names of a program that is many in one become links to it. The host
 * runs it for its list, so it has to be linked statically.
 */
export function linkApplets(program: string): string {
  return [
    `found=$(find "$1" -path '*/bin/${program}' -type f)`,
    'names=$("$found" --list)',
    'mkdir -p "$1/bin"',
    `for name in $names; do test -e "$1/bin/$name" || ln -s "\${found#"$1"}" "$1/bin/$name"; done`,
  ].join(' && ');
}

/**
 * Unpacks packages of a Debian suite, and all that they need, into a compressed tar of a root file system. Nothing is
 * configured in it: a program is called by the path that its package has it at.
 *
 * @throws what mmdebstrap throws.
 */
export async function unpackRoot(
  { host, debian, outFolder, logFile, update }: BuildContext,
  { suite, packages, applets }: ComponentSourceOf<'rootfs'>,
): Promise<SourceResult> {
  const options = applets === undefined ? [] : [`--extract-hook=${linkApplets(applets)}`];
  const wanted = { suite, debian, packages, variant: 'extract', excluded: EXCLUDED, options } as const;
  await runMmdebstrap(host, wanted, join(outFolder, ROOT_ARCHIVE), logFile, update);
  return { ok: true, facts: { suite, packages: packages.join(' ') } };
}
