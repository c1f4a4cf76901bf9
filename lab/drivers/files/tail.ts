import { closeSync, readSync } from 'node:fs';
import { naming, openRegular, refuseFile } from './open-file.ts';

/** What one read gave. */
const CHUNK_BYTES = 64 * 1024;
/** Longest line; the longest event has some hundred bytes. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A file of lines that somebody else goes on writing. */
export interface Tail {
  /** The whole lines that came since the last call; the beginning of a line waits for its end. */
  next(): Iterable<string>;
  close(): void;
}

/**
 * Opens a file of lines.
 *
 * @param root the folder that it must be in.
 * @throws HostError LAB_STATE_FILE when it is not a regular file, is elsewhere, or is not there; `next` when a line does not end.
 */
export function tailLines(path: string, root: string): Tail {
  const file = openRegular(path, root);
  if (file === undefined) throw refuseFile(path, 'is not there');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let begun: Buffer = Buffer.alloc(0);
  function* next(): Generator<string> {
    for (;;) {
      const size = naming(path, () => readSync(file ?? -1, buffer));
      if (size === 0) return;
      begun = Buffer.concat([begun, buffer.subarray(0, size)]);
      const end = begun.lastIndexOf(10);
      if (begun.length - end - 1 > MAX_LINE_BYTES)
        throw refuseFile(path, `has a line of more than ${MAX_LINE_BYTES} bytes`);
      if (end < 0) continue;
      const lines = begun.toString('utf8', 0, end).split('\n');
      begun = begun.subarray(end + 1);
      yield* lines;
    }
  }
  return { next, close: () => closeSync(file) };
}
