import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporaryMaker, temporaryPrefix } from '../../model/host/paths.ts';
import { listFolder } from './files.ts';

/** Temporary folders of this user that a process left when it was killed; absolute paths. */
export function listTemporaryFolders(): string[] {
  const uid = process.geteuid?.();
  return listFolder(tmpdir())
    .filter((name) => findTemporaryMaker(name) !== undefined)
    .map((name) => join(tmpdir(), name))
    .filter((path) => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isDirectory() === true && stat.uid === uid;
    });
}

/** Writes bytes to a temporary file, passes its path to the work, and removes it when the work ends or fails. */
export async function withTemporaryFile<T>(
  name: string,
  bytes: Buffer,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), temporaryPrefix(process.pid)));
  const path = join(folder, name);
  try {
    writeFileSync(path, bytes);
    return await work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
