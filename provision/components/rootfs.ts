import { join } from 'node:path';
import { ROOT_ARCHIVE, type ComponentSourceOf } from '../../lab/model/components/components.ts';
import { runMmdebstrap } from '../image/mmdebstrap.ts';
import type { BuildContext, SourceResult } from './source.ts';

/** Manuals, translations and icons, which no program of a scenario reads. */
const EXCLUDED = ['/usr/share/*'];

/**
 * Unpacks packages of a Debian suite, and all that they need, into a compressed tar of a root file system. Nothing is
 * configured in it: a program is called by the path that its package has it at.
 *
 * @throws what mmdebstrap throws.
 */
export async function unpackRoot(
  { host, debian, outFolder, logFile, update }: BuildContext,
  { suite, packages }: ComponentSourceOf<'rootfs'>,
): Promise<SourceResult> {
  const wanted = { suite, debian, packages, variant: 'extract', excluded: EXCLUDED } as const;
  await runMmdebstrap(host, wanted, join(outFolder, ROOT_ARCHIVE), logFile, update);
  return { ok: true, facts: { suite, packages: packages.join(' ') } };
}
