import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Where builds leave their programs, in the folder that is named: in it, or below. `_output` of Kubernetes has `bin`, and
 * `local/bin/linux/amd64` where that link was lost (hack/lib/golang.sh).
 */
const FOLDERS = ['', 'bin', 'local/bin/linux/amd64'];

/**
 * Where the programs of a local build at an absolute path are: program name to absolute path. Nothing need be there. Of a
 * folder, all are in the first place that has them all, else in the folder itself.
 */
export function placePrograms(path: string, programs: readonly string[]): Record<string, string> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const places = FOLDERS.map((name) => join(path, name));
  const isWhole = (place: string): boolean => programs.every((name) => existsSync(join(place, name)));
  const folder = isFolder ? (places.find(isWhole) ?? path) : dirname(path);
  return Object.fromEntries(
    programs.map((name, index) => [name, index === 0 && !isFolder ? path : join(folder, name)]),
  );
}
