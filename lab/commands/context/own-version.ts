import { join } from 'node:path';
import { readJson } from '../../drivers/files/files.ts';
import { PROJECT_DIR } from '../../drivers/project/project-dir.ts';

/** The version of this whodunit, as package.json has it. */
export function readOwnVersion(): string {
  return readPackage().version;
}

/** Its name there. */
export function readOwnName(): string {
  return readPackage().name;
}

function readPackage(): { readonly name: string; readonly version: string } {
  return readJson(join(PROJECT_DIR, 'package.json')) as { name: string; version: string };
}
