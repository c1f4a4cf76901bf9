import { join } from 'node:path';
import { readJson } from '../../drivers/files/files.ts';
import { PROJECT_DIR } from '../../drivers/project/project-dir.ts';

/** The version of this whodunit, as package.json has it. */
export function readOwnVersion(): string {
  return (readJson(join(PROJECT_DIR, 'package.json')) as { version: string }).version;
}
