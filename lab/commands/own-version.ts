import { fileURLToPath } from 'node:url';
import { readJson } from '../drivers/files.ts';

/** The version of this whodunit, as package.json has it. */
export function readOwnVersion(): string {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url));
  return (readJson(path) as { version: string }).version;
}
