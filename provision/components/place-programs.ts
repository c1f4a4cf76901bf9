import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Where the programs of a local build at an absolute path are: program name to absolute path. Nothing need be there.
 */
export function placePrograms(path: string, programs: readonly string[]): Record<string, string> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? path : dirname(path);
  return Object.fromEntries(
    programs.map((name, index) => [name, index === 0 && !isFolder ? path : join(folder, name)]),
  );
}
