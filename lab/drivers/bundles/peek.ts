/** The beginning of some bytes, and all of them. */
export interface Peeked {
  readonly head: Buffer;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Looks at the first `count` bytes, fewer when there are not as many; whoever reads the pieces gets these too. */
export async function peek(source: AsyncIterable<Uint8Array>, count: number): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    while (bytes < count) {
      const next = await iterator.next();
      if (next.done === true) break;
      kept.push(next.value);
      bytes += next.value.length;
    }
  } catch (error) {
    // What came before the fault is given first.
    failure = { error };
  }
  return { head: Buffer.concat(kept).subarray(0, count), pieces: join(kept, iterator, failure) };
}

async function* join(
  kept: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
  failure: { readonly error: unknown } | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* kept;
    if (failure !== undefined) throw failure.error;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
