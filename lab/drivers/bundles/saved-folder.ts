import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../model/errors/errors.ts';
import { nameHostFault } from '../files/name-host-fault.ts';
import { makeFolders } from '../files/make-folders.ts';

/** A folder that is filled beside its place, and is there only when it is whole. */
export interface NewFolder {
  readonly write: (name: string, text: string) => void;
  readonly read: (name: string) => string;
  readonly finish: () => void;
  /** Removes what was written, unless it is finished. */
  readonly close: () => void;
}

/**
 * Refuses a folder that holds something already.
 *
 * @throws UsageError
 */
export function refuseFilled(folder: string): void {
  try {
    if (readdirSync(folder).length === 0) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR') throw nameHostFault(error, folder);
  }
  throw new UsageError(`${folder} is there already, and is not an empty folder: nothing is written over it`, {
    tryNext: 'name a new folder: --save <folder>',
  });
}

/** Begins a folder. Names are our own words: no part of them is a stranger's. */
export function beginFolder(folder: string): NewFolder {
  const place = resolve(folder);
  const beside = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw nameHostFault(error, folder);
    }
  };
  guard(() => {
    makeFolders(dirname(place));
    mkdirSync(beside);
  });
  return {
    write: (name, text) =>
      guard(() => {
        makeFolders(dirname(join(beside, name)));
        writeFileSync(join(beside, name), text);
      }),
    read: (name) => guard(() => readFileSync(join(beside, name), 'utf8')),
    finish: () => guard(() => renameSync(beside, place)),
    close: () => rmSync(beside, { recursive: true, force: true }),
  };
}
