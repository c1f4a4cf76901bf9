import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The digest of a file, hexadecimal; SHA-256 unless another algorithm is given. */
export async function digestFile(path: string, algorithm: 'sha256' | 'sha512' = 'sha256'): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** SHA-256 over names and contents (their digests), in the order of the names. */
export function digestFiles(files: Readonly<Record<string, string>>): string {
  const lines = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(lines.map(([name, digest]) => `${digest}  ${name}\n`).join(''))
    .digest('hex');
}

/** SHA-256 over what Go compiles of a folder: every file but tests and hidden ones. */
export async function digestGoFolder(folder: string): Promise<string> {
  const digests: Record<string, string> = {};
  for (const path of listFiles(folder)) {
    if (!path.endsWith('_test.go')) digests[relative(folder, path)] = await digestFile(path);
  }
  return digestFiles(digests);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && name !== 'testdata')
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? listFiles(path) : [path]));
}
