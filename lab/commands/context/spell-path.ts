import { isAbsolute, relative, resolve } from 'node:path';

/** Returns a path as a person types it: relative if it is below the working directory, otherwise absolute. */
export function spellPath(path: string, from: string = process.cwd()): string {
  const below = relative(from, resolve(from, path));
  return below.startsWith('..') || isAbsolute(below) ? resolve(from, path) : below || '.';
}
