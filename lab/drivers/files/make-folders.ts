import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it; one that is there already is not an error. Node's own `recursive` never ends where a
 * file system answers that a name is not there when it is to be made, as /proc does.
 *
 * @param mode of the folders that are made, before the umask.
 */
export function makeFolders(path: string, mode = 0o777): void {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!isThere(folder, path)) {
    missing.push(folder);
    folder = dirname(folder);
  }
  for (const name of missing.reverse()) makeFolder(name, mode);
}

/**
 * A link that leads nowhere is not there, and cannot be made either. Where a file is in the way, the error is that of making what is
 * `wanted`: what is below a file is an error to Node 20, and is not there to Node 22.
 */
function isThere(path: string, wanted: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) mkdirSync(wanted);
  return stat !== undefined;
}

/** Another process may have made it meanwhile. */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
