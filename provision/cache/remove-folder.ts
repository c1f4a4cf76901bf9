import { rmSync } from 'node:fs';
import type { Host } from '../../lab/model/host/host.ts';
import { runInNamespace } from '../image/namespace.ts';

/**
 * Removes a file, or a folder with all it holds; one that is not there is not an error. A half-made root file system of
 * a normal user holds files of mapped owners: what the user may not remove goes inside a user namespace.
 */
export async function removeFolder(host: Host, path: string): Promise<void> {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (host.uid === 0) throw error;
    await runInNamespace(host, 'rm', ['-rf', '--one-file-system', path]);
  }
}
