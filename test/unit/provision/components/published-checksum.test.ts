import { expect, it } from 'vitest';
import { findPublished } from '../../../../provision/components/published-checksum.ts';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];

it.each([
  ['a digest alone (Kubernetes)', A],
  ['a digest alone, with a newline and in capitals', `${A.toUpperCase()}\n`],
  ['a line of sha256sum', `${A}  tool.tgz\n`],
  ['a line of sha256sum for a binary file', `${A} *tool.tgz\n`],
  ['a line with the folder that the maker was in', `${A}  release/tool.tgz\n`],
  ['one of several lines (etcd)', `${B}  tool.zip\n${A}  tool.tgz\n${B}  tool.tgz.asc\n`],
  [
    'a line of a signed text (runc)',
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${B}  runc.arm64\n${A}  tool.tgz\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n`,
  ],
])('finds the digest of a file: %s', (_title, text) => {
  expect(findPublished(text, 'tool.tgz')).toBe(`sha256:${A}`);
});

it('finds a SHA-512 digest (gVisor)', () => {
  expect(findPublished(`${'c'.repeat(128)}  runsc\n`, 'runsc')).toBe(`sha512:${'c'.repeat(128)}`);
});

it.each([
  ['nothing', ''],
  ['a page of somebody who answers everything', '<html><body>Sign in</body></html>'],
  ['another file', `${A}  other.tgz\n`],
  ['a file whose name ends like it', `${A}  my-tool.tgz\n`],
  ['two that differ', `${A}  tool.tgz\n${B}  tool.tgz\n`],
  ['a digest that is too weak', `${'a'.repeat(40)}  tool.tgz\n`],
])('finds none in %s', (_title, text) => {
  expect(findPublished(text, 'tool.tgz')).toBeUndefined();
});
