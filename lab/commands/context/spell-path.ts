import { isAbsolute, relative, resolve } from 'node:path';

/** A path as a person types it: relative below the working directory, absolute anywhere else. */
export function spellPath(path: string, from: string = process.cwd()): string {
  const below = relative(from, resolve(from, path));
  return below.startsWith('..') || isAbsolute(below) ? resolve(from, path) : below || '.';
}
