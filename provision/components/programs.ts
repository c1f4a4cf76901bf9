import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Lists the executable files of a name in some folders, in their order. */
export function findPrograms(name: string, folders: readonly string[]): string[] {
  return [...new Set(folders)].map((folder) => join(folder, name)).filter(isExecutableFile);
}

function isExecutableFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return false;
    throw error;
  }
}
