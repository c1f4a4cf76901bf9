import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { nameHostFault } from './name-host-fault.ts';

/** A file that grows piece by piece, and has its name only when it is whole. */
export interface AppendedFile {
  write(text: string): void;
  end(): void;
}

/** Pieces are collected up to so much. */
const BUFFER_LETTERS = 1024 * 1024;

/**
 * Opens a file that is too large to be written at once.
 *
 * @throws HostError LAB_DISK when the disk takes no more; LAB_ACCESS when it may not be written.
 */
export function openAppended(path: string): AppendedFile {
  const temporary = `${path}.${process.pid}.tmp`;
  const naming = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      rmSync(temporary, { force: true });
      throw nameHostFault(error, path);
    }
  };
  const file = naming(() => openSync(temporary, 'w'));
  let waiting: string[] = [];
  let letters = 0;
  const flush = (): void => {
    const bytes = Buffer.from(waiting.join(''));
    waiting = [];
    letters = 0;
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
  };
  return {
    write: (text) => {
      waiting.push(text);
      letters += text.length;
      if (letters >= BUFFER_LETTERS) naming(flush);
    },
    end: () =>
      naming(() => {
        flush();
        fsyncSync(file);
        closeSync(file);
        renameSync(temporary, path);
      }),
  };
}
