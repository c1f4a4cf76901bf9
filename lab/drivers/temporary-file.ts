import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes bytes to a temporary file, passes its path to the work, and removes it when the work ends or fails. */
export async function withTemporaryFile<T>(
  name: string,
  bytes: Buffer,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'whodunit-'));
  const path = join(folder, name);
  try {
    writeFileSync(path, bytes);
    return await work(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
