import { statfsSync } from 'node:fs';
import { HostError } from '../../lab/model/errors/errors.ts';

/** Free disk that baking one image needs at its peak: root, tars, store and disk image. Measured, plus a third. */
export const BAKE_DISK_MIB = 5 * 1024;

/** Free disk that this user may use where the path is, in MiB. The path must exist. */
function freeDiskMiB(path: string): number {
  const stats = statfsSync(path);
  return Math.floor((stats.bavail * stats.bsize) / 1024 / 1024);
}

/** Throws HostError LAB_DISK with both figures when baking would fill the disk. */
export function checkBakeDisk(path: string, freeMiB: number = freeDiskMiB(path)): void {
  if (freeMiB >= BAKE_DISK_MIB) return;
  throw new HostError('LAB_DISK', `baking an image needs ${BAKE_DISK_MIB} MiB of free disk in ${path}`, {
    lastSeen: `${freeMiB} MiB free`,
    tryNext: 'free some disk (`npx whodunit gc`), or put the cache elsewhere with WHODUNIT_CACHE',
  });
}
