import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes bytes to a file of its own, hands its path to the work, and removes it however the work ends. */
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
