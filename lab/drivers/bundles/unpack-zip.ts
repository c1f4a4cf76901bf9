import { buffer } from 'node:stream/consumers';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import type { OpenedFile } from './bundle-file.ts';
import type { BundleReading } from './bundle-reading.ts';
import { nameInside } from './name-inside.ts';

/** A zip is read from its end, so that it is held in memory. */
const MAX_ZIP_BYTES = 256 * 1024 * 1024;

/** Bit 0 of the general purpose flags: PKWARE's APPNOTE, 4.4.4. */
const ENCRYPTED = 1;

/** Gives what is in a zip archive, by `unpack` of each of its files. */
export async function* unpackZip(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  reading: BundleReading,
  unpack: (path: string, pieces: AsyncIterable<Uint8Array>) => AsyncGenerator<OpenedFile>,
): AsyncGenerator<OpenedFile> {
  const zip = await open(await collect(pieces));
  try {
    for (let entry = await next(zip); entry !== undefined; entry = await next(zip)) {
      const inner = nameInside(path, entry.fileName);
      if (entry.fileName.endsWith('/')) continue;
      if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0)
        reading.skip(inner, 'needs a password: unpack it first');
      else yield* unpack(inner, await openEntry(zip, entry));
    }
  } finally {
    zip.close();
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let bytes = 0;
  return buffer(
    (async function* () {
      for await (const piece of pieces) {
        bytes += piece.length;
        if (bytes > MAX_ZIP_BYTES)
          throw new Error(`a zip of more than ${MAX_ZIP_BYTES} bytes: unpack it first`);
        yield piece;
      }
    })(),
  );
}

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((done, fail) => {
    const options = { lazyEntries: true, autoClose: false, strictFileNames: false, validateEntrySizes: true };
    fromBuffer(bytes, options, (error, zip) => (error === null ? done(zip) : fail(error)));
  });
}

function next(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((done, fail) => {
    const settle = (act: () => void) => {
      zip.removeAllListeners();
      act();
    };
    zip.once('entry', (entry: Entry) => settle(() => done(entry)));
    zip.once('end', () => settle(() => done(undefined)));
    zip.once('error', (error: Error) => settle(() => fail(error)));
    zip.readEntry();
  });
}

function openEntry(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return new Promise((done, fail) => {
    zip.openReadStream(entry, (error, stream) => (error === null ? done(stream) : fail(error)));
  });
}
