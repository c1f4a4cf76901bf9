import { open, type FileHandle } from 'node:fs/promises';
import { InternalError, InterruptedError } from '../../model/errors/errors.ts';
import { FORMAT_VERSION } from '../../model/files/format-version.ts';
import type { RunCommand } from '../../model/host/host.ts';
import type { EntryToSend, SentEntry, SharedFile } from '../../model/host/remote-cache.ts';
import {
  digestOfBytes,
  PIECE_BYTES,
  renderEntryManifest,
  type RemoteConfig,
  type RemoteFile,
  type RemotePiece,
} from './entry-format.ts';
import { isEmpty, packPiece } from './pieces.ts';
import type { RegistryClient } from './registry-client.ts';

/** What sending needs. */
export interface Sending {
  readonly registry: RegistryClient;
  readonly run: RunCommand;
  /** For temporary files. */
  readonly transfers: string;
  readonly signal: AbortSignal;
  readonly progress: (bytes: number) => void;
}

/**
 * Sends what the registry lacks of an entry, piece by piece, and then its manifest. Whoever is killed goes on where it
 * was: pieces that are there are not sent again. Two that send the same entry send the same pieces.
 *
 * @throws HostError LAB_REMOTE_CACHE; InternalError when a secret is in it; InterruptedError.
 */
export async function sendEntry(sending: Sending, entry: EntryToSend): Promise<SentEntry> {
  const { registry, signal } = sending;
  const moved = { sentBytes: 0, keptBytes: 0 };
  const files: RemoteFile[] = [];
  for (const file of entry.files) {
    const { name, isProgram } = file;
    const pieces: RemotePiece[] = [];
    const bytes = await readPieces(file, async (content, at) => {
      if (signal.aborted) throw new InterruptedError();
      for (const secret of entry.secrets)
        if (content.includes(secret)) throw new InternalError(`a secret is in ${name} of ${entry.tag}`);
      const packed = await packPiece(sending.run, content, sending.transfers);
      const digest = digestOfBytes(packed);
      pieces.push({ at, bytes: content.length, digest, packedBytes: packed.length });
      const isThere = await registry.hasBlob(digest, signal);
      if (!isThere) await registry.putBlob(digest, packed, signal);
      moved[isThere ? 'keptBytes' : 'sentBytes'] += packed.length;
      sending.progress(packed.length);
    });
    files.push({ name, isProgram, bytes, pieces });
  }
  const { kind, inputs, tag } = entry;
  const config: RemoteConfig = { formatVersion: FORMAT_VERSION, kind, inputs: { ...inputs }, files };
  const content = Buffer.from(JSON.stringify(config));
  const digest = digestOfBytes(content);
  if (!(await registry.hasBlob(digest, signal))) await registry.putBlob(digest, content, signal);
  await registry.putManifest(tag, renderEntryManifest(content, config), signal);
  return moved;
}

/** Reads the pieces of a file that are not only zeros, blanked where it says so; resolves to the bytes of the file. */
async function readPieces(
  { from, blanked = [] }: SharedFile,
  onPiece: (content: Buffer, at: number) => Promise<void>,
): Promise<number> {
  const source = await openSource(from);
  try {
    for (let at = 0; at < source.bytes; at += PIECE_BYTES) {
      const content = await source.read(at, Math.min(PIECE_BYTES, source.bytes - at));
      for (const { offset, bytes } of blanked) blank(content, offset - at, offset - at + bytes);
      if (!isEmpty(content)) await onPiece(content, at);
    }
    return source.bytes;
  } finally {
    await source.close();
  }
}

/** Fills with zeros what is between two places, as far as they are in the piece. */
function blank(content: Buffer, start: number, end: number): void {
  if (start < content.length && end > 0) content.fill(0, Math.max(0, start), Math.min(content.length, end));
}

interface Source {
  readonly bytes: number;
  /** A copy, which the next call may overwrite. */
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

async function openSource(from: string | Buffer): Promise<Source> {
  if (typeof from !== 'string')
    return {
      bytes: from.length,
      read: (at, length) => Promise.resolve(Buffer.from(from.subarray(at, at + length))),
      close: () => Promise.resolve(),
    };
  const file = await open(from);
  // Most of a disk is holes: memory for each piece would cost more than reading it.
  const memory = Buffer.allocUnsafe(PIECE_BYTES);
  return {
    bytes: (await file.stat()).size,
    read: (at, length) => readAt(file, at, memory.subarray(0, length)),
    close: () => file.close(),
  };
}

async function readAt(file: FileHandle, at: number, content: Buffer): Promise<Buffer> {
  let done = 0;
  while (done < content.length) {
    const { bytesRead } = await file.read(content, done, content.length - done, at + done);
    if (bytesRead === 0) throw new InternalError('a file of the cache became shorter while it was sent');
    done += bytesRead;
  }
  return content;
}
