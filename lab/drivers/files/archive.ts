import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** One file of an archive. */
export interface ArchiveEntry {
  /** Path in the archive. */
  readonly name: string;
  readonly content: Buffer;
}

/**
 * Writes a gzipped tar. A reader sees the whole file or none. The same entries give the same bytes: no entry has a time
 * or an owner.
 *
 * @param entries are asked for one after the other, so that only one is in memory.
 */
export async function writeArchive(path: string, entries: Iterable<ArchiveEntry>): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const tar = pack();
  try {
    await Promise.all([
      pipeline(tar, createGzip(), createWriteStream(temporary, { flags: 'wx' })),
      addAll(tar, entries),
    ]);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Unpacks a gzipped file. Throws when it is none, or holds more than `maxBytes`. */
export function unzip(bytes: Buffer, maxBytes: number): Buffer {
  return gunzipSync(bytes, { maxOutputLength: maxBytes });
}

/** Packs bytes as a gzipped file. */
export function zip(bytes: Buffer): Buffer {
  return gzipSync(bytes);
}

async function addAll(tar: ReturnType<typeof pack>, entries: Iterable<ArchiveEntry>): Promise<void> {
  try {
    for (const { name, content } of entries)
      await new Promise<void>((done, fail) => {
        tar.entry({ name, mtime: new Date(0) }, content, (error) => {
          if (error instanceof Error) fail(error);
          else done();
        });
      });
    tar.finalize();
  } catch (error) {
    tar.destroy(error as Error);
    throw error;
  }
}
