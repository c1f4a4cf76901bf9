import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { CommandError, HostError } from '../../model/errors/errors.ts';
import type { RunCommand } from '../../model/host/host.ts';
import { decompress } from '../bundles/decompress.ts';
import { makeFolders } from '../files/make-folders.ts';

/** Zeros in a row that are not written: they become a hole. */
const HOLE_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(HOLE_BYTES);

/** Whether all bytes are zero. */
export function isEmpty(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += HOLE_BYTES) {
    const part = content.subarray(at, at + HOLE_BYTES);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}

/** Writes what is not zero of a piece into a file, at its place. */
export async function writeWithHoles(file: FileHandle, content: Buffer, offset: number): Promise<void> {
  for (let at = 0; at < content.length; at += HOLE_BYTES) {
    const part = content.subarray(at, at + HOLE_BYTES);
    if (!isEmpty(part)) await writeAll(file, part, offset + at);
  }
}

async function writeAll(file: FileHandle, part: Buffer, offset: number): Promise<void> {
  let done = 0;
  while (done < part.length)
    done += (await file.write(part, done, part.length - done, offset + done)).bytesWritten;
}

/**
 * Packs a piece by zstd: Node's own, which it has from 22.15 on, else the program.
 *
 * @param folder for temporary files.
 * @throws HostError LAB_REMOTE_CACHE when there is neither.
 */
export async function packPiece(run: RunCommand, content: Buffer, folder: string): Promise<Buffer> {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: (input: Buffer) => Buffer };
  if (zstdCompressSync !== undefined) return zstdCompressSync(content);
  makeFolders(folder);
  const [plain, packed] = ['piece', 'packed'].map((name) =>
    join(folder, `${name}-${randomUUID()}.${process.pid}.tmp`),
  ) as [string, string];
  try {
    writeFileSync(plain, content);
    await run('zstd', ['-q', '-3', '-o', packed, plain]);
    return readFileSync(packed);
  } catch (error) {
    if (!(error instanceof CommandError && error.failure === 'not-found')) throw error;
    throw new HostError('LAB_REMOTE_CACHE', 'nothing can be sent to the remote cache without zstd', {
      tryNext: 'apt-get install zstd',
      cause: error,
    });
  } finally {
    for (const path of [plain, packed]) rmSync(path, { force: true });
  }
}

/** Unpacks a piece that has to become so many bytes; undefined when it does not. */
export async function unpackPiece(packed: Buffer, bytes: number): Promise<Buffer | undefined> {
  const content = Buffer.alloc(bytes);
  let at = 0;
  try {
    for await (const part of decompress('zstd', Readable.from([packed], { objectMode: true }))) {
      if (at + part.length > bytes) return undefined;
      content.set(part, at);
      at += part.length;
    }
  } catch {
    return undefined; // these bytes are not what zstd writes
  }
  return at === bytes ? content : undefined;
}
