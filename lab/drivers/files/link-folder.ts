import { copyFileSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nameHostFault } from './name-host-fault.ts';
import { listInside } from './inside.ts';
import { makeFolders } from './make-folders.ts';

/** What a file system says where a file cannot have a second name there: another disk, too many names, no such feature, not ours. */
const NO_LINK = ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP'];
/** Levels of folders in a cell: runs of a repeated one, nodes, and some to spare. */
const MAX_LEVELS = 6;

/**
 * Gives the files of a folder second names below another one, so that they take no further room; where that cannot be, it copies
 * them. What is neither a file nor a folder is left out.
 *
 * @param root the folder that `from` must be in: it may come from somebody else.
 * @param skip whether a file, relative to the folder, is left out.
 * @throws HostError LAB_STATE_FILE when `from` is elsewhere; LAB_DISK, LAB_ACCESS when it cannot be written.
 */
export function linkFolder(root: string, from: string, to: string, skip: (path: string) => boolean): void {
  const { files } = listInside(root, from, MAX_LEVELS);
  makeFolders(to);
  const made = new Set([to]);
  for (const { path } of files) {
    if (skip(path)) continue;
    const target = join(to, path);
    const folder = dirname(target);
    if (!made.has(folder)) {
      makeFolders(folder);
      made.add(folder);
    }
    linkOrCopy(join(from, path), target);
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (!NO_LINK.includes(code)) throw nameHostFault(error, to);
    try {
      copyFileSync(from, to);
    } catch (failed) {
      throw nameHostFault(failed, to);
    }
  }
}

/**
 * Writes a text into a new folder that nobody reads before it has its name: a crash leaves nothing that counts, so it need not
 * reach the disk at once.
 */
export function writeDraftText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw nameHostFault(error, path);
  }
}

/**
 * Puts a finished folder in the place of another one, which is removed. Whoever looks in between finds the old one, the new one or
 * none, never a mixture.
 *
 * @param aside a free name on the same disk.
 */
export function replaceFolder(finished: string, place: string, aside: string): void {
  try {
    makeFolders(dirname(place));
    for (;;) {
      try {
        renameSync(place, aside);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      rmSync(aside, { recursive: true, force: true });
      try {
        renameSync(finished, place);
        return;
      } catch (error) {
        // Another process has put one there meanwhile.
        if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      }
    }
  } catch (error) {
    throw nameHostFault(error, place);
  }
}
