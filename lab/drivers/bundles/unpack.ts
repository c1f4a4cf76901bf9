import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import type { OpenedFile } from './bundle-file.ts';
import { toUtf8 } from '../../model/files/text-encoding.ts';
import { findContainer, HEAD_BYTES } from '../../model/evidence/packed-files.ts';
import { decompress, type Compression } from './decompress.ts';
import { peek } from './peek.ts';
import { readJournalFile } from './journal-file.ts';
import type { BundleReading } from './bundle-reading.ts';
import { unpackZip } from './unpack-zip.ts';
import { nameInside } from './name-inside.ts';

/**
 * Gives the files that some bytes hold: themselves, or what is packed in them, as deep as the limits allow. Nothing is
 * written by the names in an archive: they are words only. A fault ends this file, is said, and leaves what was given.
 */
export async function* unpack(
  path: string,
  source: AsyncIterable<Uint8Array>,
  reading: BundleReading,
  depth = 0,
): AsyncGenerator<OpenedFile> {
  const { head, pieces } = await peek(source, HEAD_BYTES);
  const container = findContainer(head);
  if (container === undefined) yield* reading.give({ path, pieces });
  else if (container.is === 'unread') reading.skip(path, container.why);
  else if (container.is === 'text') yield* reading.give({ path, pieces: toUtf8(container.encoding, pieces) });
  else if (container.is === 'journal')
    yield* reading.give({ path, pieces: readJournalFile(path, pieces, reading) });
  else if (depth === reading.limits.maxDepth) reading.skip(path, `is packed more than ${depth} times`);
  else yield* unpackContainer(container.is, { path, pieces }, reading, depth);
}

async function* unpackContainer(
  kind: Compression | 'tar' | 'zip',
  { path, pieces }: OpenedFile,
  reading: BundleReading,
  depth: number,
): AsyncGenerator<OpenedFile> {
  const unpackInner = (inner: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<OpenedFile> =>
    unpack(inner, bytes, reading, depth + 1);
  try {
    if (kind === 'tar') yield* unpackTar(path, pieces, reading, unpackInner);
    else if (kind === 'zip') yield* unpackZip(path, pieces, reading, unpackInner);
    else yield* unpackInner(path, decompress(kind, pieces));
  } catch (error) {
    reading.fail(path, error);
  }
}

/** Entries that are not files, by the type that tar gives them. */
const NO_FILES: Readonly<Record<string, string>> = {
  link: 'is a link',
  symlink: 'is a link',
  'character-device': 'is a device',
  'block-device': 'is a device',
  fifo: 'is a pipe',
};

async function* unpackTar(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  reading: BundleReading,
  unpackInner: (path: string, pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<OpenedFile>,
): AsyncGenerator<OpenedFile> {
  const tar = extract();
  const source = Readable.from(pieces, { objectMode: true });
  source.on('error', (error) => tar.destroy(error));
  source.pipe(tar);
  for await (const entry of tar) {
    const { name, type = 'file' } = entry.header;
    const inner = nameInside(path, name);
    const why = NO_FILES[type];
    if (why !== undefined) reading.skip(inner, why);
    const content = entry[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    if (type === 'file' || type === 'contiguous-file') yield* unpackInner(inner, keepOpen(content));
    await readToEnd(content);
  }
}

/** The same pieces for a reader who may stop early: an entry that is closed early would end the whole archive. */
function keepOpen(content: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => content.next() }) };
}

async function readToEnd(content: AsyncIterator<Uint8Array>): Promise<void> {
  for (let next = await content.next(); next.done !== true; next = await content.next());
}
