import { describe, expect, it } from 'vitest';
import {
  ENCODING_HEAD_BYTES,
  findEncoding,
  toUtf8,
  type TextEncoding,
} from '../../../../lab/model/files/text-encoding.ts';

const TEXT = 'Nov 20 21:53:58 nöde-1 kernel: Memory cgroup out of memory: Killed process 1735\r\n日本 🙂\n';

const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();
const marked = (...bytes: readonly number[]): Buffer => Buffer.from(bytes);

const ROWS: readonly (readonly [what: string, bytes: Buffer, encoding: TextEncoding | undefined])[] = [
  ['UTF-8', Buffer.from(TEXT), undefined],
  ['UTF-8 with a mark', Buffer.concat([marked(0xef, 0xbb, 0xbf), Buffer.from(TEXT)]), 'utf-8'],
  ['UTF-16 LE with a mark', Buffer.concat([marked(0xff, 0xfe), little(TEXT)]), 'utf-16le'],
  ['UTF-16 BE with a mark', Buffer.concat([marked(0xfe, 0xff), big(TEXT)]), 'utf-16be'],
  ['UTF-16 LE without one', little(TEXT), 'utf-16le'],
  ['UTF-16 BE without one', big(TEXT), 'utf-16be'],
];

describe('the encoding of a text', () => {
  it.each(ROWS)('is found in %s, and its text is the same', async (_, bytes, encoding) => {
    expect(findEncoding(bytes.subarray(0, ENCODING_HEAD_BYTES))).toBe(encoding);
    // Cut anywhere: a character may be in two pieces.
    const pieces = [bytes.subarray(0, 25), bytes.subarray(25, -3), bytes.subarray(-3)];
    const read: Uint8Array[] = [];
    for await (const piece of toUtf8(encoding as 'utf-8' | undefined, stream(pieces))) read.push(piece);
    expect(Buffer.concat(read).toString()).toBe(TEXT);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text with a zero in it', Buffer.from('kernel: a\0\0\0\0\0 line that a crash left half written\n')],
    ['zeros', Buffer.alloc(512)],
    ['arguments of a process', Buffer.from('a\0b\0c\0dd\0e\0f\0g\0h\0i\0j\0k\0')],
    ['too few characters', little('Nov 20')],
    ['numbers of 32 bits', Buffer.from(Uint32Array.from({ length: 64 }, (_, at) => at).buffer)],
  ])('is not guessed of %s', (_, bytes) => {
    expect(findEncoding(bytes)).toBeUndefined();
  });

  it.each([
    ['LE', marked(0xff, 0xfe, 0, 0)],
    ['BE', marked(0, 0, 0xfe, 0xff)],
  ])('is UTF-32 by its mark, %s', (_, bytes) => {
    expect(findEncoding(bytes)).toBe('utf-32');
  });
});

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
