import { join } from 'node:path';
import { readJson } from '../../drivers/files/files.ts';
import { PROJECT_DIR } from '../../drivers/project/project-dir.ts';

/** Returns the version in package.json. */
export function readOwnVersion(): string {
  return readPackage().version;
}

/** Returns the name in package.json. */
export function readOwnName(): string {
  return readPackage().name;
}

function readPackage(): { readonly name: string; readonly version: string } {
  return readJson(join(PROJECT_DIR, 'package.json')) as { name: string; version: string };
}
