import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import xz from 'xz-decompress';

/** How a file was packed. */
export type Compression = 'gzip' | 'xz' | 'zstd';

/** Unpacks a stream. What it gives throws when the bytes are damaged or end too early. */
export function decompress(by: Compression, packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  if (by === 'gzip') return through(packed, createGunzip());
  // Node's own zstd (from 22.15 on) takes a stream that was cut for a whole one.
  return by === 'xz' ? unpackXz(packed) : unpackZstd(packed);
}

function through(packed: AsyncIterable<Uint8Array>, unpacker: Gunzip): AsyncIterable<Uint8Array> {
  const out = new PassThrough();
  // A fault reaches the reader through `out`, which the pipeline destroys with it.
  pipeline(Readable.from(packed, { objectMode: true }), unpacker, out).catch(() => undefined);
  return out;
}

async function* unpackXz(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.toWeb(Readable.from(packed, { objectMode: true })) as ReadableStream<Uint8Array>;
  const reader = new xz.XzReadableStream(source).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // The memory of its program is used again for the next piece.
      yield Uint8Array.from(value);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* unpackZstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  const unpacker = new Decompress((piece) => ready.push(piece));
  let isFirst = true;
  for await (const piece of packed) {
    unpacker.push(piece);
    isFirst = false;
    yield* ready;
    ready = [];
  }
  if (isFirst) return;
  unpacker.push(new Uint8Array(0), true);
  yield* ready;
}
