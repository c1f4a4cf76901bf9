import { resolve } from 'node:path';
import { isSymbolicLink } from '../../drivers/files/folders.ts';
import { pathExists } from '../../drivers/files/files.ts';

/** How only a path begins: addresses and links have slashes too, but not at the beginning. */
const PATH_ONLY = /^(?:\/|\.{1,2}\/|~\/)/;

/**
 * Whether a word that may be a name or a path is a path with nothing behind it: it begins as only paths do, or it is a
 * symbolic link that leads nowhere.
 */
export function isMissingPath(word: string): boolean {
  const path = resolve(word);
  return !pathExists(path) && (PATH_ONLY.test(word) || isSymbolicLink(path));
}
