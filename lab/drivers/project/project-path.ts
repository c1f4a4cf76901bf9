import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isBelow } from '../files/open-file.ts';

/**
 * Why a file that something in the project names is none of its files; undefined when it is one. Links are resolved
 * first, and a file need not exist.
 *
 * Hidden folders are none either: `.git` and `.lab` hold keys and passwords, which must not come into a guest, and
 * from there into evidence that is passed on.
 *
 * @param path absolute.
 */
export function whyNotOfProject(projectDir: string, path: string): string | undefined {
  const root = realpathSync(projectDir);
  const real = resolveLinks(path);
  if (!isBelow(real, root)) return 'is outside of the project';
  const isHidden = relative(root, real)
    .split(sep)
    .some((part) => part.startsWith('.'));
  return isHidden ? 'is hidden, or in a hidden folder of the project' : undefined;
}

/** A path without links, as far as there is something. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(resolveLinks(folder), basename(path));
  }
}
