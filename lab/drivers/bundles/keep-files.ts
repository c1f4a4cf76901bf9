import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryPrefix } from '../../model/host/paths.ts';
import type { OpenedFile } from './bundle-file.ts';

/** What is kept of one file, and of all. */
export interface KeepLimits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

const KEEP_LIMITS: KeepLimits = {
  maxFileBytes: 128 * 1024 * 1024,
  maxBytes: 2 * 1024 * 1024 * 1024,
};

/** A file that was read, and its bytes. */
export interface KeptFile {
  readonly path: string;
  /** Undefined when it was larger than what is kept. */
  readonly bytes: () => Buffer | undefined;
}

/** Keeps what is read of a bundle in a folder that only this user can enter, until it is closed. */
export interface Keeper {
  readonly keep: (files: AsyncIterable<OpenedFile>) => AsyncGenerator<OpenedFile>;
  readonly files: readonly KeptFile[];
  readonly close: () => void;
}

/** Builds a keeper. Pipes and standard input can be read once only, so that the bytes are kept as they are read. */
export function createKeeper(limits: KeepLimits = KEEP_LIMITS): Keeper {
  const folder = mkdtempSync(join(tmpdir(), temporaryPrefix(process.pid)));
  const files: KeptFile[] = [];
  let total = 0;
  async function* copy({ path, pieces }: OpenedFile): AsyncGenerator<Uint8Array> {
    const place = join(folder, String(files.length));
    const file = openSync(place, 'wx', 0o600);
    let bytes = 0;
    files.push({
      path,
      bytes: () => (bytes > limits.maxFileBytes || total > limits.maxBytes ? undefined : readFileSync(place)),
    });
    try {
      for await (const piece of pieces) {
        bytes += piece.length;
        if (bytes <= limits.maxFileBytes && total + piece.length <= limits.maxBytes) writeSync(file, piece);
        total += piece.length;
        yield piece;
      }
    } finally {
      closeSync(file);
    }
  }
  return {
    files,
    keep: async function* (given) {
      for await (const file of given) yield { path: file.path, pieces: copy(file) };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
