import { JOURNAL_MAGIC } from './journal-file.ts';
import { findEncoding, type TextEncoding } from '../files/text-encoding.ts';
import { BEGINNINGS } from '../files/beginnings.ts';

/** What holds other files or hides them, and text that is not plain UTF-8, by the first bytes. */
type Container =
  | { readonly is: 'gzip' | 'xz' | 'zstd' | 'tar' | 'zip' | 'journal' }
  | { readonly is: 'text'; readonly encoding: Exclude<TextEncoding, 'utf-32'> }
  | { readonly is: 'unread'; readonly why: string };

/** Enough for the magic of a tar, which is the last one in a file. */
export const HEAD_BYTES = 512;

const UNPACK_FIRST = 'unpack it first';

/** Beginnings in hexadecimal, and what is then in the file. */
const KNOWN: readonly (readonly [beginning: string, container: Container])[] = [
  [BEGINNINGS.gzip, { is: 'gzip' }],
  [BEGINNINGS.xz, { is: 'xz' }],
  [BEGINNINGS.zstd, { is: 'zstd' }],
  [BEGINNINGS.zip, { is: 'zip' }],
  // A zip without a file.
  ['504b0506', { is: 'zip' }],
  [Buffer.from(JOURNAL_MAGIC).toString('hex'), { is: 'journal' }],
  ['425a68', { is: 'unread', why: `is packed by bzip2: ${UNPACK_FIRST}` }],
  ['377abcaf271c', { is: 'unread', why: `is a 7z archive: ${UNPACK_FIRST}` }],
  ['526172211a07', { is: 'unread', why: `is a rar archive: ${UNPACK_FIRST}` }],
  ['04224d18', { is: 'unread', why: `is packed by lz4: ${UNPACK_FIRST}` }],
  ['53616c7465645f5f', { is: 'unread', why: 'is encrypted by OpenSSL: decrypt it first' }],
  [
    '2d2d2d2d2d424547494e20504750204d455353414745',
    { is: 'unread', why: 'is encrypted by PGP: decrypt it first' },
  ],
  ['7f454c46', { is: 'unread', why: 'is a program' }],
];

/** Says what a file is by its first bytes; undefined when its bytes are read as they are. */
export function findContainer(head: Buffer): Container | undefined {
  const beginning = head.toString('hex', 0, 32);
  const known = KNOWN.find(([start]) => beginning.startsWith(start));
  if (known !== undefined) return known[1];
  if (head.length >= 262 && head.toString('latin1', 257, 262) === 'ustar') return { is: 'tar' };
  const encoding = findEncoding(head);
  if (encoding === 'utf-32')
    return { is: 'unread', why: 'is text in UTF-32: convert it first (iconv -f UTF-32 -t UTF-8)' };
  return encoding === undefined ? undefined : { is: 'text', encoding };
}
