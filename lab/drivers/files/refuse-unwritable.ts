import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isFolder, refuseFileAsFolder } from './files.ts';
import { nameHostFault } from './name-host-fault.ts';

/**
 * Refuses a file that cannot be written at the end of long work. It makes nothing.
 *
 * @throws HostError LAB_ACCESS
 */
export function refuseUnwritableFile(path: string): void {
  const place = resolve(path);
  try {
    closeSync(openSync(place, 'r+'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw nameHostFault(error, path);
  }
  refuseUnwritableFolder(dirname(place));
}

/**
 * Refuses a folder in which nothing can be made at the end of long work. It makes nothing.
 *
 * @throws HostError LAB_ACCESS
 */
export function refuseUnwritableFolder(path: string): void {
  const folder = resolve(path);
  refuseFileAsFolder(folder);
  try {
    accessSync(findNearestFolder(folder), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw nameHostFault(error, path);
  }
}

/** The folder itself, or the nearest one above it that is there. */
function findNearestFolder(folder: string): string {
  return isFolder(folder) || folder === dirname(folder) ? folder : findNearestFolder(dirname(folder));
}
