import { closeSync, openSync, readSync } from 'node:fs';

/** One read. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Opens a file of lines that somebody else goes on writing. Each call returns the whole lines that came since the last
 * one; the beginning of a line waits for its end.
 *
 * @throws an error of the file system when there is no such file.
 */
export function tailLines(path: string): { next(): string[]; close(): void } {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let begun: Buffer = Buffer.alloc(0);
  return {
    next: () => {
      for (;;) {
        const size = readSync(file, buffer);
        if (size === 0) break;
        begun = Buffer.concat([begun, buffer.subarray(0, size)]);
      }
      const end = begun.lastIndexOf(10);
      if (end < 0) return [];
      const lines = begun.toString('utf8', 0, end).split('\n');
      begun = begun.subarray(end + 1);
      return lines;
    },
    close: () => closeSync(file),
  };
}
