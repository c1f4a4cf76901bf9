/** How a text is written in bytes. PowerShell's `>` writes UTF-16, and marks it. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32';

/** So many bytes show it. */
export const ENCODING_HEAD_BYTES = 512;

/** Byte order marks, in hexadecimal (Unicode 16, 23.8). That of UTF-32 begins with one of UTF-16. */
const MARKS: readonly (readonly [mark: string, encoding: TextEncoding])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe0000', 'utf-32'],
  ['0000feff', 'utf-32'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

/** Fewer characters show no pattern. */
const MIN_PAIRS = 8;
/** Logs are ASCII but for some names: so many characters have a zero as their upper byte. */
const MIN_SHARE = 0.9;

/**
 * Says how a text is written, by its first bytes: by a byte order mark, or because nearly each second byte is zero and
 * no other one is. Undefined where neither shows it; it is UTF-8 then, or not text.
 */
export function findEncoding(head: Uint8Array): TextEncoding | undefined {
  const beginning = [...head.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return MARKS.find(([mark]) => beginning.startsWith(mark))?.[1] ?? findPattern(head);
}

function findPattern(head: Uint8Array): TextEncoding | undefined {
  const pairs = Math.floor(head.length / 2);
  if (pairs < MIN_PAIRS) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < pairs * 2; at += 1) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd >= pairs * MIN_SHARE) return 'utf-16le';
  return odd === 0 && even >= pairs * MIN_SHARE ? 'utf-16be' : undefined;
}

/** Gives the bytes of a text as UTF-8 without a mark. Text without one in UTF-8 passes as it is. */
export async function* toUtf8(
  encoding: Exclude<TextEncoding, 'utf-32'> | undefined,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (encoding === undefined) {
    yield* pieces;
    return;
  }
  const [decoder, encoder] = [new TextDecoder(encoding), new TextEncoder()];
  for await (const piece of pieces) yield encoder.encode(decoder.decode(piece, { stream: true }));
  yield encoder.encode(decoder.decode());
}
