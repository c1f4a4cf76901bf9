import { describe, expect, it } from 'vitest';
import { findConfigBlob, parseEntryConfig } from '../../../../lab/drivers/remote/entry-format.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const PIECE = { at: 0, bytes: 4, digest: DIGEST, packedBytes: 3 };
const FILE = { name: 'witness', isProgram: true, bytes: 4, pieces: [PIECE] };
const CONFIG = { formatVersion: 1, kind: 'component', inputs: { version: '1' }, files: [FILE] };

const parse = (config: unknown): unknown => parseEntryConfig(Buffer.from(JSON.stringify(config)));

describe('an entry of a remote cache', () => {
  it('is read as it is written', () => {
    expect(parse(CONFIG)).toEqual(CONFIG);
  });

  it.each([
    ['a name that leads out', { name: '../witness' }],
    ['an absolute name', { name: '/etc/passwd' }],
    ['a name that is hidden', { name: '.witness' }],
    ['a name that is a flag', { name: '-rf' }],
    ['a name with a zero', { name: 'a\0b' }],
    ['less than its pieces have', { bytes: 3 }],
    ['a length below zero', { bytes: -1, pieces: [] }],
    ['a piece before its beginning', { pieces: [{ ...PIECE, at: -1 }] }],
    ['a piece of nothing', { pieces: [{ ...PIECE, bytes: 0 }] }],
    ['a piece without a bound', { bytes: 2 ** 50, pieces: [{ ...PIECE, bytes: 2 ** 40 }] }],
    ['a digest that is a path', { pieces: [{ ...PIECE, digest: 'sha256:../../x' }] }],
  ])('is refused with %s', (_, change) => {
    expect(parse({ ...CONFIG, files: [{ ...FILE, ...change }] })).toBeUndefined();
  });

  it('is refused with a file twice', () => {
    expect(parse({ ...CONFIG, files: [FILE, FILE] })).toBeUndefined();
  });

  it.each(['sha256:../x', 'sha512:00', `${DIGEST}/../x`])('has no configuration at %s', (digest) => {
    const mediaType = 'application/vnd.whodunit.entry.v1+json';
    const manifest = { config: { mediaType, digest, size: 10 } };
    expect(findConfigBlob(Buffer.from(JSON.stringify(manifest)))).toBeUndefined();
  });
});
