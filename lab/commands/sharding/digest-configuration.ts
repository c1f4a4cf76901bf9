import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { findText } from '../../drivers/files/files.ts';
import { readProjectFiles } from '../../drivers/project/project-files.ts';
import { LOCK_FILE } from '../../model/components/component-lock.ts';

/**
 * Returns the digest of everything that decides what a cell means: SHA-256 over matrix.yaml, components.yaml, the
 * scenarios, the bugs and the lock, each with its name.
 */
export function digestConfiguration(projectDir: string): string {
  const hash = createHash('sha256');
  for (const { path, text } of readProjectFiles(projectDir)) hash.update(`${path}\0${text}\0`);
  hash.update(`${LOCK_FILE}\0${findText(join(projectDir, LOCK_FILE)) ?? ''}`);
  return hash.digest('hex');
}
