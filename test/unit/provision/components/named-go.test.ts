import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nameGo, type GoLines } from '../../../../provision/components/named-go.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'named-go-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

// The lines of real modules; the release of the catalogue is the last argument.
test.each<[module: string, file: string | undefined, lines: GoLines, table: string, go: string]>([
  ['kubernetes 1.33.4', '1.24.5\n', { Go: '1.24.0' }, '1.24.11', '1.24.5'],
  ['kubernetes 1.24.17, whose .go-version is newer', '1.20.7\n', { Go: '1.19' }, '1.19.13', '1.20.7'],
  ['kubernetes 1.22.17, which names none', undefined, { Go: '1.16' }, '1.16.15', '1.16.15'],
  ['etcd 3.6.5', undefined, { Go: '1.24', Toolchain: 'go1.24.7' }, '1.26.8', '1.24.7'],
  ['runc 1.2.4', undefined, { Go: '1.22', Toolchain: 'go1.22.4' }, '1.23.12', '1.22.4'],
  ['containerd 2.2.0, whose line is a bound', undefined, { Go: '1.24.3' }, '1.26.8', '1.26.8'],
  ['a bound above the catalogue', undefined, { Go: '1.27.1' }, '1.26.8', '1.27.1'],
  ['a file that names no release', 'stable\n', { Go: '1.24.0' }, '1.24.11', '1.24.11'],
  ['a toolchain of somebody else', undefined, { Go: '1.24', Toolchain: 'default' }, '1.24.11', '1.24.11'],
])('%s', (_module, file, lines, table, go) => {
  if (file !== undefined) writeFileSync(join(folder, '.go-version'), file);
  expect(nameGo(folder, lines, table)).toBe(go);
});
