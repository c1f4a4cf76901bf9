import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import type { BundleFile } from './bundle-file.ts';
import { findContainer, HEAD_BYTES } from './containers.ts';
import { decompress } from './decompress.ts';
import { peek } from './peek.ts';
import { readJournalFile } from './journal-file.ts';
import type { Reading } from './reading.ts';
import { unpackZip } from './unpack-zip.ts';
import { nameInside } from './name-inside.ts';

/**
 * Gives the files that some bytes hold: themselves, or what is packed in them, as deep as the limits allow. Nothing is
 * written by the names in an archive: they are words only. A fault ends this file, is said, and leaves what was given.
 */
export async function* unpack(
  path: string,
  source: AsyncIterable<Uint8Array>,
  reading: Reading,
  depth = 0,
): AsyncGenerator<BundleFile> {
  const { head, pieces } = await peek(source, HEAD_BYTES);
  const container = findContainer(head);
  if (container === undefined) return yield* reading.give({ path, pieces });
  if (container.is === 'unread') return reading.skip(path, container.why);
  if (container.is === 'journal')
    return yield* reading.give({ path, pieces: readJournalFile(path, pieces, reading) });
  if (depth === reading.limits.maxDepth) return reading.skip(path, `is packed more than ${depth} times`);
  try {
    if (container.is === 'tar') yield* unpackTar(path, pieces, reading, depth);
    else if (container.is === 'zip')
      yield* unpackZip(path, pieces, reading, (inner, bytes) => unpack(inner, bytes, reading, depth + 1));
    else yield* unpack(path, decompress(container.is, pieces), reading, depth + 1);
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
  reading: Reading,
  depth: number,
): AsyncGenerator<BundleFile> {
  const tar = extract();
  const source = Readable.from(pieces, { objectMode: true });
  source.on('error', (error) => tar.destroy(error));
  source.pipe(tar as unknown as NodeJS.WritableStream);
  for await (const entry of tar) {
    const { name, type = 'file' } = entry.header;
    const inner = nameInside(path, name);
    const why = NO_FILES[type];
    if (why !== undefined) reading.skip(inner, why);
    const content = entry[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    if (type === 'file' || type === 'contiguous-file')
      yield* unpack(inner, keepOpen(content), reading, depth + 1);
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
